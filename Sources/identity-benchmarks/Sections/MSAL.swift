import Foundation

/// Microsoft's Python library `msal` from PyPI, in a virtual environment of its own.
struct MSAL {
    private let python: String
    private let folder: URL

    /// Creates the virtual environment and installs `msal`.
    /// - Throws: ``Skipped`` without Python, or ``ProgramError`` if the installation fails, such as without a package
    ///   registry.
    init(in folder: URL) throws {
        guard let system = Program.installed("python3") else { throw Skipped(description: "there is no python3") }
        let environment = folder.appendingPathComponent("msal")
        python = environment.appendingPathComponent("bin/python").path
        self.folder = folder
        try Program(path: system, arguments: ["-m", "venv", environment.path]).run()
        try Program(
            path: python,
            arguments: ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "msal"]
        ).run()
    }

    /// Measures the time to get a cached token, in `rounds` rounds of 100 calls. A Python class simulates the server,
    /// which only the first token needs.
    func validToken(rounds: Int) throws -> Figure {
        let script = folder.appendingPathComponent("valid-token.py")
        try Data(Self.script.utf8).write(to: script)
        let output = folder.appendingPathComponent("valid-token")
        try Program(path: python, arguments: [script.path, "\(rounds)"]).run(writingTo: output.path)
        let values = try String(contentsOf: output, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        return Figure(
            name: "msal (\(values.last ?? ""))", role: .peer,
            wall: Statistics(values.dropLast().compactMap { Double($0) }))
    }

    private static let script = """
        import json, sys, time
        import msal

        class Response:
            status_code, headers = 200, {}
            def __init__(self, content): self.text = json.dumps(content)
            def raise_for_status(self): pass

        class Server:
            def get(self, url, **_):
                base = "https://id.example.com/tenant"
                return Response({"issuer": base, "authorization_endpoint": base + "/a", "token_endpoint": base + "/t"})
            def post(self, url, **_):
                return Response({"access_token": "t" * 900, "token_type": "Bearer", "expires_in": 86400})

        app = msal.ConfidentialClientApplication(
            "client", client_credential="secret", oidc_authority="https://id.example.com/tenant", http_client=Server())
        assert "access_token" in app.acquire_token_for_client(["read"])
        for _ in range(int(sys.argv[1])):
            start = time.perf_counter()
            for _ in range(100):
                app.acquire_token_for_client(["read"])
            print((time.perf_counter() - start) / 100)
        print(msal.__version__)

        """
}
