import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

/// The screen of each backend in every state, and every kind of row, as text in `Tests/Snapshots`: a file for each backend
/// and language.
///
/// Wording, order and state are compared, and no look. Steps and what is wrong with them come from the local servers. The
/// rows do not depend on the size of the text; the same rows as HTML do, for the tests in a browser, which name the folder
/// for a page of each state in `SWIFT_IDENTITY_SCREENS`.
/// To write the files anew: `SWIFT_IDENTITY_RECORD=1 swift test --filter ScreenSnapshotTests`.
@Suite(.endsInTime) struct ScreenSnapshotTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: ThreeServers.Backend.allCases) func backend(_ backend: ThreeServers.Backend) async throws {
        try compare(await states(of: backend), named: backend.rawValue)
    }

    @Test("Every kind of row") func rows() throws {
        var step = SignInPrompt(
            provider: "work", problem: "The code is wrong or too old. Enter the newest one, or ask for another.",
            message:
                "Another code was mailed to a.long.name.without.a.blank@mail.example.com. Only that one works now.",
            fields: [
                .init(identifier: "code", label: "Code from the mail", kind: .oneTimeCode),
                .init(identifier: "password", label: "Password", kind: .password),
                .init(identifier: "nickname", label: "Nickname", isRequired: false, problem: "This name is taken."),
                .init(
                    identifier: "team", label: "Team", kind: .choice,
                    options: ["Research, development and everything else that takes long", "Sales"]),
                .init(identifier: "phone", label: "Mobile number", kind: .phone),
                .init(identifier: "news", label: "I want to hear of everything that is new", kind: .boolean),
            ],
            actions: [
                .init(identifier: "go", label: "Continue"),
                .init(identifier: "mail", label: "Mail another code", purpose: .resend, availableAfter: now + 60),
                .init(identifier: "lost", label: "Password forgotten? Reset it", rank: .quiet, purpose: .otherWay),
            ])
        let page = try #require(URL(string: "https://id.example.com/terms"))
        step.title = "One more step"
        step.parts = [
            .paragraph("Keep the recovery code."), .link("Terms of use", url: page),
            .picture(page, description: "The mark of the company"),
            .textToCopy("ABCD-EFGH-JKLM-NPQR-STUV-WXYZ", label: "Recovery code"),
        ]
        var screen = SignInScreen()
        screen.prompt = step
        screen.values = ["password": "short", "phone": "+49 30 901820", "news": "true"]
        screen.problems = ["password": .unfit(nil), "team": .needed]
        screen.focus = "password"
        try compare([("every kind of row", screen)], named: "rows")
    }

    private func compare(_ states: [(name: String, screen: SignInScreen)], named name: String) throws {
        let variables = ProcessInfo.processInfo.environment
        for texts in ScreenTexts.all + [.pseudo] {
            if let folder = variables["SWIFT_IDENTITY_SCREENS"] {
                try writePages(of: states, texts, named: "\(name).\(texts.language)", in: folder)
            }
            let text = states.map { "== \($0.name)\n\($0.screen.text(texts, at: now))\n" }.joined(separator: "\n")
            let file = PackageFolder.url.appendingPathComponent("Tests/Snapshots/\(name).\(texts.language).txt")
            if variables["SWIFT_IDENTITY_RECORD"] == "1" {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            } else {
                #expect(try String(contentsOf: file, encoding: .utf8) == text)
            }
        }
    }

    private func writePages(
        of states: [(name: String, screen: SignInScreen)], _ texts: ScreenTexts, named name: String, in folder: String
    ) throws {
        for (number, state) in states.enumerated() {
            let file = URL(fileURLWithPath: folder).appendingPathComponent("\(name).\(number + 10).html")
            try state.screen.page(texts, at: now, titled: state.name).write(to: file, atomically: true, encoding: .utf8)
        }
    }

    private func states(of backend: ThreeServers.Backend) async throws -> [(name: String, screen: SignInScreen)] {
        let servers = try await ThreeServers()
        let person = servers.person(at: backend)
        let refusing = ScriptedLogin(username: person.name.reveal(), password: person.password, allows: false)
        let model = try AppModel(
            servers.configuration(backend), browser: ScriptedBrowser { try await refusing.signIn(at: $0) },
            time: servers.clock.dates)
        let (engine, following) = (model.engine, Task { await model.run() })
        defer { following.cancel() }
        let choices = try await engine.shown { !$0.backends.isEmpty }
        var states = [("nobody is there", choices)]

        await engine.perform(.signIn("work"))
        if backend == .openIDConnect {
            states.append(("busy", changed(choices) { $0.isBusy = true }))
            states.append(("wrong: the person refused", try await engine.shown { $0.notice != nil && !$0.isBusy }))
        } else {
            let prompt = try #require(try await engine.shown { $0.prompt != nil }.prompt)
            states.append(("empty", await engine.screen))
            let action = SignInScreen.Action.answer(prompt.actions.first?.identifier)
            await engine.perform(action)
            states.append(("incomplete", await engine.screen))
            for field in prompt.fields {
                await engine.enter(field.kind == .password ? "not the password" : person.name, in: field.identifier)
            }
            states.append(("filled in", await engine.screen))
            states.append(("busy", changed(await engine.screen) { $0.isBusy = true }))
            await engine.perform(action)
            states.append(
                ("wrong", try await engine.shown { !$0.isBusy && ($0.prompt?.problem != nil || $0.notice != nil) }))
            await engine.perform(.cancel)
        }

        if backend == .openIDConnect {
            let code = DeviceCode(
                userCode: "WDJB-MJHT", verificationURI: try #require(URL(string: "https://id.example.com/device")),
                verificationURIComplete: URL(string: "https://id.example.com/device?user_code=WDJB-MJHT"),
                expiresAt: .distantFuture)
            states.append(("a code for another device", changed(choices) { $0.deviceCode = code }))
        }
        await servers.stop()
        await engine.perform(.signIn("work"))
        if backend == .insForge {
            for field in try #require(try await engine.shown { $0.prompt != nil }.prompt).fields {
                await engine.enter(field.kind == .password ? person.password : person.name, in: field.identifier)
            }
            await engine.perform(.answer("sign-in"))
        }
        states.append(("offline", try await engine.shown { $0.notice == .offline && !$0.isBusy }))

        let (ada, bob) = (AccountID(account: "1", realm: "work"), AccountID(account: "2", realm: "work"))
        let again = SignInScreen.Person(account: ada, name: "Ada Lovelace", signInAt: "work")
        let suspended = Suspension(
            "k", because: "The server needs the person to sign in (login_required).", retries: .never, at: .distantPast)
        states += [
            (
                "suspended",
                changed(choices) { ($0.people, $0.notice) = ([again], .words(suspended.reason)) }
            ),
            (
                "ended",
                changed(choices) {
                    let error = SessionError.ended(
                        ada, reason: "The server no longer accepts this sign-in. Sign in again.")
                    ($0.people, $0.notice) = ([again], .words(error.message))
                }
            ),
            (
                "several accounts",
                changed(choices) {
                    $0.people = [
                        .init(account: ada, name: "Ada Lovelace"), .init(account: bob, name: "bob@example.com"),
                    ]
                }
            ),
            ("wrong clock", changed(choices) { $0.notice = .clockWrong }),
            ("the file has changed", changed(choices) { $0.notice = .configurationChanged }),
        ]
        return states.map { (name: $0.0, screen: $0.1) }
    }

    private func changed(_ screen: SignInScreen, _ change: (inout SignInScreen) -> Void) -> SignInScreen {
        var screen = screen
        change(&screen)
        return screen
    }
}
