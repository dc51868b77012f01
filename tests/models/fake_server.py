"""A small real server that answers by a rule, and misbehaves as it is told."""

import json
import os
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NO_CHOICES = b'{"choices": []}'
UNWORKED = ("4", "503", "302")  # statuses that come before any token is made
REFUSED = {
    "logprobs": "logprobs are not supported",
    "seed": "extra field: seed",
    "temperature": "Unsupported value: 'temperature' must be 1 with this model",
    "max_tokens": "unsupported: max_tokens; use max_completion_tokens",
}
# Numbers that no server can mean, by what they stand in place of.
USAGE = b'"prompt_tokens": 1, "completion_tokens": 1'
BEYOND = {
    "biglogprob": (b"-2.5", b"-" + b"9" * 400),
    "biglogprob4k": (b"-2.5", b"-" + b"9" * 5000),
    "nanlogprob": (b"-2.5", b"NaN"),
    "bigusage": (USAGE, USAGE.replace(b"1", b"9" * 400)),
    "bigusage4k": (USAGE, USAGE.replace(b"1", b"9" * 5000)),
    "floatusage": (USAGE, USAGE.replace(b"1", b"1e999")),
    "nanusage": (USAGE, USAGE.replace(b"1", b"NaN")),
    "minususage": (USAGE, USAGE.replace(b"1", b"-1")),
    "halfletter": (b'"model": "small"', b'"model": "\\ud800"'),
}


def first_letter(prompt):
    return "A"


class Server(ThreadingHTTPServer):
    """Counts what it is asked and what it answers.

    `trouble` names what happens to the nth request about a prompt, from 0; after that
    the prompt is answered.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, rule=first_letter, trouble=(), *, logprobs=True, pause=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.rule, self.trouble, self.logprobs = rule, trouble, logprobs
        self.pause, self.refuses = pause, ()
        self.bodies = {}  # what is sent as it is, by the word that a prompt ends with
        self.asked, self.answered, self.keys = Counter(), Counter(), set()
        self.tokens, self.under_way, self.most = Counter(), 0, 0
        self.times, self.lock = [], threading.Lock()
        self.released = threading.Event()  # lets those who hang go

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, client_address):
        """A client that left is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        """Be quiet."""

    def do_POST(self):
        server = self.server
        length = int(self.headers["content-length"])
        request = json.loads(self.rfile.read(length))
        prompt = request["messages"][-1]["content"]
        with server.lock:
            number = server.asked[prompt]
            server.asked[prompt] += 1
            server.keys.add(self.headers.get("authorization"))
            server.times.append(time.monotonic())
            server.under_way += 1
            server.most = max(server.most, server.under_way)
        time.sleep(server.pause)
        with server.lock:
            server.under_way -= 1
        refused = [name for name in server.refuses if name in request]
        trouble = server.trouble[number] if number < len(server.trouble) else "none"
        if self.path != "/v1/chat/completions":
            self.say(404, {"error": {"message": "no such page"}})
        elif refused:
            self.say(400, {"error": {"message": REFUSED[refused[0]]}})
        else:
            self.behave(trouble, request, prompt)

    def behave(self, trouble, request, prompt):
        said = self.completion(request, prompt)
        if trouble in BEYOND:
            said["usage"] = {"prompt_tokens": 1, "completion_tokens": 1}
        whole = json.dumps(said).encode()
        if trouble in BEYOND:
            assert BEYOND[trouble][0] in whole
            whole, trouble = whole.replace(*BEYOND[trouble]), "none"
        if not trouble.startswith(UNWORKED):
            with self.server.lock:
                self.server.tokens.update(said["usage"])
        if trouble == "hang":
            self.server.released.wait(30)
        elif trouble == "cut":
            self.say(200, whole[:40], length=len(whole))
            self.close_connection = True
        elif trouble == "drip":
            self.say(200, b"", length=len(whole))
            while not self.server.released.wait(0.02):
                self.wfile.write(b" ")
        elif trouble == "headdrip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
            while not self.server.released.wait(0.02):
                self.wfile.write(b"a")
        elif trouble == "held cut":
            self.say(200, whole[:40], length=len(whole))
            self.server.released.wait(20)
        elif trouble == "rst":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            os.close(self.connection.detach())
        elif trouble == "endless":
            self.say(200, b"", length=10**12)
            while not self.server.released.is_set():
                self.wfile.write(b" " * 2**20)
        elif trouble == "not json":
            self.say(200, b"<html>busy</html>")
        elif trouble == "no choices":
            self.say(200, NO_CHOICES)
        elif trouble == "429 date":
            self.say(429, {}, {"Retry-After": formatdate(time.time() + 1, usegmt=True)})
        elif trouble.startswith("429 "):
            self.say(429, {}, {"Retry-After": trouble[4:]})
        elif trouble != "none":
            echo = {"error": {"message": f"wrong: {self.headers['authorization']}"}}
            self.say(int(trouble), echo)
        else:
            whole = self.server.bodies.get(prompt.split()[-1], whole)
            with self.server.lock:
                self.server.answered[prompt] += 1
            self.say(200, whole)

    def completion(self, request, prompt):
        text = self.server.rule(prompt)
        use = {
            "prompt_tokens": sum(len(m["content"]) // 2 for m in request["messages"]),
            "completion_tokens": min(len(text), request.get("max_tokens", 9)),
        }
        choice = {"message": {"role": "assistant", "content": text}}
        if self.server.logprobs and request.get("logprobs"):
            likely = [(text, -0.1), ("B" if text == "A" else "A", -2.5), ("The", -5.0)]
            listed = [{"token": t, "logprob": share} for t, share in likely]
            content = {"token": text, "logprob": -0.1, "top_logprobs": listed}
            choice["logprobs"] = {"content": [content]}
        model = request["model"]
        return {"model": model, "choices": [choice], "usage": use}

    def say(self, status, body, headers=None, length=None):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(length or len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(*args, **settings):
    """A server on a free port of this machine, while inside."""
    server = Server(*args, **settings)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
