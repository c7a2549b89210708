"""Files beside messages over HTTP: brought by the composer, taken back unsent, given to their owner.

A file is never trusted, whatever it says it is: it is served as a download or an image, in a sandbox, with
the type that its bytes had, and no browser may guess another.
"""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.http import require_POST, require_safe

from chatsite.chats import attachments
from chatsite.chats.models import Attachment

STATUS = {"too_large": 413, "bad_type": 415, "too_many": 429, "empty": 400}
SANDBOX = "default-src 'none'; sandbox"


@require_POST
@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """Keep `file`: 201 with attachments.about, or 4xx with {"code", "message"}."""
    assert request.user.pk is not None
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        return _refused(attachments.Unusable("empty", "There is no file."))
    try:
        if (file.size or 0) > max(attachments.LARGEST.values()):
            raise attachments.Unusable("too_large", "The file is too large.")
        made = attachments.take(request.user.pk, file.name or "", file.read())
    except attachments.Unusable as error:
        return _refused(error)
    return JsonResponse(attachments.about(made), status=201)


@require_POST
@login_required
def delete(request: HttpRequest, attachment_id: UUID) -> HttpResponse:
    """Take back a file that was not sent: 204, also when it was already gone."""
    found = _own(request, attachment_id)
    if found.conversation_id is not None:
        return HttpResponse(status=409)
    found.delete()
    return HttpResponse(status=204)


@require_safe
@login_required
def serve(request: HttpRequest, attachment_id: UUID) -> HttpResponseBase:
    """The bytes, for the owner alone. Images may stand in a page; everything else is a download."""
    found = _own(request, attachment_id)
    try:
        file = attachments.path_of(found.id).open("rb")
    except OSError:
        raise Http404 from None
    content_type = "text/plain; charset=utf-8" if found.kind == "text" else found.media_type
    response = FileResponse(
        file, as_attachment=found.kind != "image", filename=found.name, content_type=content_type
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, max-age=86400, immutable"
    response["Content-Security-Policy"] = SANDBOX
    return response


def _own(request: HttpRequest, attachment_id: UUID) -> Attachment:
    found = Attachment.objects.select_related("conversation")
    made = found.filter(owner_id=request.user.pk, id=attachment_id).first()
    if made is None or (made.conversation is not None and made.conversation.deleted_at is not None):
        raise Http404
    return made


def _refused(error: attachments.Unusable) -> JsonResponse:
    return JsonResponse({"code": error.code, "message": error.message}, status=STATUS[error.code])
