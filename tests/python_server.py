"""Runs Python code for the tests in forks of one process that has NumPy imported, whose import takes ten times as long as most of that code.

    python_server.py SOCKET    serves until its parent ends; scripts/check starts it
    python_client.py SOCKET CODE    does what python3 -c CODE does, with NumPy as np
"""

import array
import atexit
import contextlib
import gc
import importlib
import marshal
import os
import signal
import socket
import sys
import threading
import traceback

import numpy

# What takes long to import, where it is there.
SLOW = "arrays", "scipy.ndimage", "scipy.optimize", "scipy.sparse.linalg", "tifffile"
MOST_FILES = 64


def received(connection):
    """The client's open files under its own numbers, then its folder, environment and code."""
    sent = array.array("i")
    head, extra, _, _ = connection.recvmsg(4 * (MOST_FILES + 2), socket.CMSG_SPACE(4 * MOST_FILES))
    if not head:
        os._exit(1)
    for _, _, data in extra:
        sent.frombytes(data)
    numbers = array.array("i", head)
    size, numbers = numbers[0], numbers[1:]
    text = b""
    while len(text) < size:
        part = connection.recv(size - len(text))
        if not part:
            os._exit(1)
        text += part
    return numbers, sent, *marshal.loads(text)


def end_with_client(connection, answered):
    """Ends this process and those it has started if the client ends first, e.g. by a time limit."""
    def wait():
        with contextlib.suppress(OSError):
            connection.recv(1)  # nothing comes behind the code
        if not answered.is_set():
            os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def finish(names):
    """What the end of Python does: threads, exit functions, files still open. False: the output failed."""
    threading._shutdown()
    atexit._run_exitfuncs()
    names.clear()
    gc.collect()
    try:
        for file in sys.stdout, sys.stderr:
            if file is not None and not file.closed:
                file.flush()
    except OSError:
        return False
    return True


def run(connection, numbers, sent, folder, environment, code):
    """Becomes the client but for its process number, and returns the exit status."""
    # away from the numbers that are about to be taken
    high = [os.dup2(f, 200 + i) for i, f in enumerate(sent)]
    for f in sent:
        os.close(f)
    for f, number in zip(high, numbers):
        os.dup2(f, number)
        os.close(f)
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(environment)
    sys.path[:0] = ["", *os.environ.get("PYTHONPATH", "").split(":")]
    sys.argv = ["-c"]
    answered = threading.Event()
    end_with_client(connection, answered)
    names = {"__name__": "__main__", "np": numpy}
    try:
        exec(compile(code, "<string>", "exec"), names)
        status = 0
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    if not finish(names):
        status = 120
    answered.set()
    connection.sendall(bytes([status & 255]))


def main():
    parent = os.getppid()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1] + "~")
    listener.listen(64)
    os.rename(sys.argv[1] + "~", sys.argv[1])  # whoever sees it can connect
    for name in SLOW:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # a collection in a fork passes over all this
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener.settimeout(2)
    while os.getppid() == parent:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork():
            connection.close()
            continue
        os.setpgid(0, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        connection.setblocking(True)
        connection = socket.socket(fileno=os.dup2(connection.detach(), 300, inheritable=False))
        run(connection, *received(connection))
        os._exit(0)


main()
