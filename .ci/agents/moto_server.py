"""moto on loopback, at a port that the system chooses. Prints its address and keeps requests: `moto_server.py FILE`."""

import io
import sys

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

application = DomainDispatcherApplication(create_backend_app)


def recorded(environment, start):
    body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
    with open(sys.argv[1], "ab") as file:
        file.write(body + b"\n")
    return application(environment | {"wsgi.input": io.BytesIO(body)}, start)


server = make_server("127.0.0.1", 0, recorded, threaded=True)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
