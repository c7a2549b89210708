# Sourced by the scripts in bin/: finds a Python that runs and keeps .venv in step with a requirements file.
# Nothing here asks a question; every failure says what to do and exits 1.

say() { printf '%s\n' "$*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# Runs each candidate before choosing it: a version manager's shim may stand on PATH and still exit 127.
find_python() {
  seen=""
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python python3.14; do
    [ -n "$candidate" ] || continue
    version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    case " $seen " in *" $version "*) ;; *) seen="$seen $version" ;; esac
    "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return 0
    fi
    no_venv="$candidate"
  done
  if [ -n "${no_venv:-}" ]; then
    die "$no_venv cannot make virtual environments. On Debian or Ubuntu: apt-get install python3-venv. Then run this again."
  fi
  die "Python 3.11 or newer is needed; found:${seen:- none}. Install it, or name one: PYTHON=/path/to/python3.11 $0"
}

# ensure_environment FILE: .venv holds what FILE pins. The stamp makes a second run start at once.
ensure_environment() {
  requirements=$1
  stamp=".venv/.installed-$requirements"
  wanted=$(cat requirements.txt requirements-full.txt "$requirements" | cksum)
  # A moved or half-made environment does not run: make it anew.
  if ! .venv/bin/python -c 'import sys' 2>/dev/null; then
    python=$(find_python) || exit 1
    say "Making the environment in .venv with $python ($("$python" --version 2>&1))"
    rm -rf .venv
    "$python" -m venv .venv || die "Could not make .venv with $python."
  fi
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return 0
  mkdir -p .cache
  say "Installing the packages of $requirements (once; about a minute)"
  if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
    -r "$requirements" >.cache/install.log 2>&1; then
    tail -n 5 .cache/install.log >&2
    die "Could not install the packages of $requirements. Is the network up? The whole log is in .cache/install.log; run this again when it is mended."
  fi
  printf '%s' "$wanted" >"$stamp"
}
