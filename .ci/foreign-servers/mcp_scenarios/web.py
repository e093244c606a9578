"""Servers on ports of the loopback interface that the system chooses, with routes by method and path."""

import json
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


class Request:
    def __init__(self, method, target, headers, body):
        parts = urlsplit(target)
        self.method, self.path, self.headers, self.body = method, parts.path, headers, body
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))

    @property
    def form(self):
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def json(self):
        """The members of a JSON object; empty for any other body."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def header(self, name):
        """The values of a field, joined; None without one."""
        values = self.headers.get_all(name)
        return ", ".join(values) if values else None


class Answer:
    def __init__(self, status, body=b"", content_type="text/plain", **headers):
        self.status, self.body, self.headers = status, body, {"Content-Type": content_type}
        self.headers |= {name.replace("_", "-"): value for name, value in headers.items()}

    @staticmethod
    def json(value, status=200, **headers):
        return Answer(status, json.dumps(value).encode(), "application/json", **headers)

    @staticmethod
    def error(code, description, status=400, **headers):
        return Answer.json({"error": code, "error_description": description}, status, **headers)


class Origin:
    """One server. `lock` is held while it answers, and `seen` gets every request with its answer."""

    def __init__(self, lock, seen=lambda request, answer: None):
        self.routes, self.lock, self.seen = {}, lock, seen
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def route(self, method, path, answer):
        self.routes[method, path] = answer

    def answer(self, request):
        with self.lock:
            route = self.routes.get((request.method, request.path))
            try:
                answer = route(request) if route else Answer(404, b"Not found")
            except Exception as error:
                traceback.print_exc()
                answer = Answer(500, str(error).encode())
            self.seen(request, answer)
            return answer

    def close(self):
        def close():
            self.server.shutdown()
            self.server.server_close()

        threading.Thread(target=close, daemon=True).start()

    def handler(origin):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def respond(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                answer = origin.answer(Request(self.command, self.path, self.headers, body))
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_DELETE = respond

            def log_message(self, *_):
                pass

        return Handler
