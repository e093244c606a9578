import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

#if os(Linux) || os(macOS)
/// Which program opens a page, and with which arguments.
@Suite(.endsInTime) struct SystemBrowserTests {
    /// Programs that note what they were called with, and come back as a browser does after a sign-in.
    private struct Desktop {
        private let folder: TemporaryFolder
        private let port = FreePort.find()
        private let events = Locked<[LoopbackEvent]>([])

        init() throws { folder = try TemporaryFolder() }

        static let page = "https://id.example/authorize?a=%25s&state=right"

        func path(_ name: String) -> String { folder.file(name).path }

        func program(_ name: String, _ script: String) throws {
            try Script.write("#!/bin/bash\n\(script)\n", to: folder.file(name))
        }

        func browser(_ name: String) throws {
            try program(
                name,
                """
                printf '%s\\n' "$(basename "$0")" "$@" "${BROWSER:-no BROWSER}" >'\(path("notes"))'
                exec 3<>/dev/tcp/127.0.0.1/\(port)
                printf 'GET /callback?code=c&state=right HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&3
                cat <&3 >/dev/null
                """)
        }

        /// Signs in.
        /// - Returns: the name, the arguments and the variable `BROWSER` of the program that came back.
        func signIn(_ variables: [String: String]) async throws -> [String] {
            _ = try await response(variables)
            return try String(contentsOf: folder.file("notes"), encoding: .utf8).split(separator: "\n").map(String.init)
        }

        /// Signs in. If `pastes` is `true`, a person pastes the address of the response when it is read.
        func response(_ variables: [String: String], pastes: Bool = false) async throws -> URL {
            let redirect = "http://127.0.0.1:\(port)/callback"
            let paste: @Sendable () async throws -> String = { "\(redirect)?code=c&state=right" }
            let all = variables.merging(["PATH": "\(folder.url.path):/usr/bin:/bin"]) { $1 }
            let browser = LoopbackWebAuthenticator(
                opensBrowser: true, timeout: Patience.limit, time: .system, variables: all,
                paste: pastes ? paste : nil
            ) { event in events.withLock { $0.append(event) } }
            let (page, target) = (try #require(URL(string: Self.page)), try #require(URL(string: redirect)))
            return try await browser.authenticate(WebAuthenticationRequest(url: page, redirectURI: target))
        }

        /// What was said about programs that did not open the page.
        var tried: [String] {
            events.withLock { events in
                events.compactMap { event in
                    switch event {
                    case .page(_, let attempts), .browserFailed(let attempts): attempts.inWords
                    default: nil
                    }
                }
            }
        }
    }

    @Test(
        "BROWSER is a program, with arguments and a place for the address if it has them; no shell reads it",
        arguments: [
            ("a-browser", [Desktop.page]), ("DIR/a-browser", [Desktop.page]),
            (" a-browser  -n ", ["-n", Desktop.page]),
            ("a-browser --new=%s end", ["--new=\(Desktop.page)", "end"]), ("a-browser %s &", [Desktop.page]),
            (#"a-browser 'a b' "c \"d" e\ f '' $HOME;"#, ["a b", #"c "d"#, "e f", "", "$HOME;", Desktop.page]),
        ])
    func arguments(variable: String, expected: [String]) async throws {
        let desktop = try Desktop()
        try desktop.browser("a-browser")
        let named = variable.replacingOccurrences(of: "DIR", with: desktop.path("").trimmingSlash)
        #expect(
            try await desktop.signIn(["BROWSER": named]) == ["a-browser"] + expected.filter { !$0.isEmpty } + [named])
        #expect(desktop.tried.isEmpty)
    }

    @Test("A path with spaces and colons is one program")
    func oddPath() async throws {
        let desktop = try Desktop()
        try desktop.browser("my browser: 2")
        let name = desktop.path("my browser: 2")
        #expect(try await desktop.signIn(["BROWSER": name]) == ["my browser: 2", Desktop.page, name])
    }

    @Test("Of a list the next one follows that is missing, cannot be started or ends with an error")
    func list() async throws {
        let desktop = try Desktop()
        try desktop.browser("a-browser")
        try desktop.program("b-browser", "exit 3")
        let variable = "no-browser:b-browser -n:a-browser"
        #expect(try await desktop.signIn(["BROWSER": variable]).first == "a-browser")
        // The program may have come back before it is said that it was started, and the one before it may have ended before
        // the page is told of.
        while !desktop.tried.contains("Tried no-browser (not found), b-browser (status 3), a-browser.") {
            await Task.yield()
        }
    }

    #if os(Linux)
    @Test("When the last program ends with an error, the address of the response can be pasted")
    func nothingOpens() async throws {
        let desktop = try Desktop()
        try desktop.program("b-browser", "exit 3")
        let response = try await desktop.response(["BROWSER": "b-browser"], pastes: true)
        #expect(response.query == "code=c&state=right")
        #expect(desktop.tried.contains("Tried b-browser (status 3)."))
    }

    @Test(
        "After a failing BROWSER comes the system's opener, which under WSL is that of Windows",
        arguments: [
            (["DISPLAY": ":0"], "xdg-open"), (["WAYLAND_DISPLAY": "w"], "xdg-open"),
            (["DISPLAY": ":0", "WSL_DISTRO_NAME": "Ubuntu"], "wslview"), (["WSL_INTEROP": "/run/x"], "wslview"),
        ], ["no-browser", nil])
    func opener(system: (variables: [String: String], opener: String), named: String?) async throws {
        let desktop = try Desktop()
        try desktop.browser("xdg-open")
        try desktop.browser("wslview")
        var variables = system.variables
        variables["BROWSER"] = named
        #expect(try await desktop.signIn(variables) == [system.opener, Desktop.page, "no BROWSER"])
        #expect(desktop.tried == (named == nil ? [] : ["Tried no-browser (not found), \(system.opener)."]))
    }
    #endif
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
#endif
