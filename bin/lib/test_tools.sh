# Sourced by bin/test and bin/pictures: the tools that pip does not bring. Node runs the JavaScript tests and fetches
# the CommonMark examples; Chromium runs the browser tests. Installed from Debian's packages where we may.

may_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

apt_install() {
  mkdir -p .cache
  say "Installing $* (once)"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; } \
    >.cache/apt.log 2>&1 || die "Could not install $*. The log is in .cache/apt.log."
}

ensure_node() {
  if node --version >/dev/null 2>&1 && npm --version >/dev/null 2>&1; then return 0; fi
  may_apt || die "Node 20 or newer with npm is needed for the JavaScript tests. Install it and run this again."
  apt_install nodejs npm
}

# Sets CHROMIUM to a browser that runs. Playwright's own download is the last resort.
ensure_chromium() {
  for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$candidate" ] || continue
    found=$(command -v "$candidate" 2>/dev/null) || continue
    "$found" --version >/dev/null 2>&1 || continue
    CHROMIUM=$found
    return 0
  done
  if may_apt; then
    apt_install chromium
    CHROMIUM=$(command -v chromium) || die "Debian's chromium is installed but does not run."
    return 0
  fi
  say "Installing Playwright's Chromium (once)"
  .venv/bin/python -m playwright install chromium || die "No Chromium: install one, or name it: CHROMIUM=/path/to/chromium bin/test"
  CHROMIUM=$(.venv/bin/python -c 'from playwright.sync_api import sync_playwright as p
with p() as w: print(w.chromium.executable_path)')
}

# nginx and systemd-analyze, for the tests of what is in deploy/.
ensure_deploy_tools() {
  missing=""
  [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null 2>&1 || missing="nginx-light"
  command -v systemd-analyze >/dev/null 2>&1 || missing="$missing systemd"
  [ -n "$missing" ] || return 0
  may_apt || die "nginx and systemd-analyze are needed for the tests of deploy/. Install them (Debian: $missing) and run this again."
  # shellcheck disable=SC2086
  apt_install $missing
}

# PostgreSQL's server programs, for the tests of several processes; they start one of their own on loopback.
ensure_postgres() {
  command -v initdb >/dev/null 2>&1 && return 0
  for found in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$found" ] && return 0
  done
  may_apt || die "PostgreSQL's server programs are needed for the tests of several processes. Install them (Debian: postgresql) and run this again."
  apt_install postgresql
}
