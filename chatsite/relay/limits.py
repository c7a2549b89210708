"""Every number of the relay that somebody may want to turn, in seconds or bytes, with its reason."""

import os

LEASE = float(os.environ.get("STREAMRENDER_LEASE", "9"))  # a turn that its owner does not renew is taken over
RENEW = LEASE / 3  # how often leases are renewed and looked at; dead owners are found within LEASE + RENEW
FRAME = 0.033  # between two beats: what came in between is committed and shown together
CALM = 0.12  # share of the time that rendering may take before the beats come more rarely
CROWDED_BEAT = 0.08  # so rarely, unless rendering would then take more than RENDERING of the time
RENDERING = 0.5
SLOWEST_BEAT = 0.25  # the rarest
DEAR = 0.015  # CPU seconds: after a rendering that took longer, a thread makes the next ones
MANY = 200  # events that are rendered by a thread whatever the last ones took
SLOWEST_FRAME = 1.0  # a single turn that is dear to render is shown at least so often
UNSEEN = 2000  # events of a turn that nobody watches, kept unrendered
ROUNDS = 16  # upstream requests of one turn
TOOL = 60.0  # one tool call, unless the tool has a longer limit of its own
APPROVAL = 600.0  # for the user to allow a tool call; then it counts as refused
RETRIES = 4  # before the first byte
LONGEST_RETRY_WAIT = 60.0  # an upstream that asks for more is reported instead
FIRST_RETRY_WAIT = 0.5  # doubles with each attempt
IDLE = 300.0  # silence of an upstream in mid-stream
LONGEST_TURN = 4 * 3600.0  # then a turn is ended as interrupted, whatever it does
LONGEST_ANSWER = 64 * 1024 * 1024  # bytes of one upstream response; what goes on beyond is cut off
JANITOR = 3600.0  # between two sweeps of exchanges past their days
BACKLOG = 4000  # uncommitted events of one turn at which its upstream is no longer read
RAW = 32 * 1024 * 1024  # raw bytes kept of one exchange
DRAIN = float(os.environ.get("STREAMRENDER_DRAIN", "25"))  # running turns may finish after SIGTERM
WINDOW_BYTES = 256 * 1024  # sent to a viewer and not acknowledged
WINDOW_FRAMES = 64
LARGEST_DIFF = 256 * 1024  # characters of a page that is compared with what is shown of it
LOG_BYTES = 256 * 1024  # rendered frames kept of a turn, for viewers a little behind
LOG_FRAMES = 128
NO_ACK = 30.0  # a viewer that owes an acknowledgement for so long is closed
KEEP_ENDED = 60.0  # an ended turn stays in memory, so that whoever is just joining finds it
