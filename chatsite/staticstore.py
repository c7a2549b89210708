"""Static files under hashed names, module imports rewritten with them, so that one page never mixes
versions.
"""

from django.contrib.staticfiles.storage import ManifestStaticFilesStorage


class StaticStore(ManifestStaticFilesStorage):
    """Django's manifest storage that also rewrites `import` in JavaScript modules."""

    support_js_module_import_aggregation = True
