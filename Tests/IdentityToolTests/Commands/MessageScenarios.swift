import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Messages that say what to run: what they name removes the reason for the message.
extension CommandScenario {
    static let message: [CommandScenario] = [
        CommandScenario("identity init") { stage in
            // There is no configuration at …
            let file = stage.fixture.configurationFile
            try stage.forgetConfiguration()
            let missing = try await stage.prepare("identity whoami")
            #expect(missing.status == 78, "\(missing)")
            let server = stage.fixture.insForge
            let made = try await stage.runAdvice(
                "identity init", in: missing.errors,
                answering: [
                    ("Backend: ", server.url.absoluteString), ("sealed there", ""), ("mail", server.user.email),
                    ("Password: ", server.user.password),
                ])
            #expect(made.status == 0 && FileManager.default.fileExists(atPath: file.path))
            #expect(try await stage.prepare("identity whoami").status == 0)
        },
        CommandScenario("identity login") { stage in
            // Nobody is signed in.
            let user = stage.fixture.insForge.user
            try stage.fixture.configure(stage.fixture.insForgeProvider(named: "home"))
            for line in ["identity token", "identity accounts"] {
                let nobody = try await stage.prepare(line)
                let login = try await stage.runAdvice(
                    "identity login", in: nobody.errors,
                    answering: [("mail", user.email), ("Password: ", user.password)])
                #expect(login.status == 0 && login.output.hasPrefix("home/"), "\(nobody)")
                #expect(try await stage.prepare("identity token").status == 0)
                #expect(try await stage.prepare("identity logout").status == 0)
            }
        },
        CommandScenario("identity login") { stage in
            // A session without a scope that a command needs.
            var rules = LocalOpenIDConnectServer.Configuration()
            rules.scopes += ["mail"]
            let server = try await LocalOpenIDConnectServer.start(configuration: rules)
            try stage.fixture.configure(stage.openIDProvider(named: "any", at: server))
            #expect(try await stage.signInInBrowser("identity login").result.status == 0)
            let lacking = try await stage.prepare("identity token --scope mail")
            #expect(lacking.status == 3, "\(lacking)")
            let place = try #require(lacking.errors.firstRange(of: "identity login --scope mail"), "\(lacking)")
            let (login, shown) = try await stage.signInInBrowser(String(lacking.errors[place]))
            #expect(login.status == 0, "\(shown)")
            #expect(try await stage.prepare("identity token --scope mail").status == 0)
            await server.stop()
        },
        CommandScenario("identity config check") { stage in
            // The doctor finds a mistake in the configuration.
            try Data(#"{"providers": [{"name": "a", "type": "insforge", "settings": {}}]}"#.utf8)
                .write(to: stage.fixture.configurationFile)
            let doctor = try await stage.prepare("identity doctor")
            #expect(doctor.status == 1)
            let check = try await stage.runAdvice("identity config check", in: doctor.output)
            #expect(check.status == 78 && (check.output + check.errors).contains("settings.baseURL"), "\(check)")
        },
        CommandScenario("identity login --provider \\(only.quotedForShell)") { stage in
            // The doctor finds a session that cannot be read: a new one takes its place.
            let user = stage.fixture.insForge.user
            try stage.fixture.configure(stage.fixture.insForgeProvider(named: "home"))
            try stage.fixture.damageSession(of: try await stage.fixture.signIn())
            let doctor = try await stage.prepare("identity doctor")
            #expect(doctor.status == 1, "\(doctor)")
            let login = try await stage.runAdvice(
                "identity login --provider \\(only.quotedForShell)", in: doctor.output,
                answering: [("mail", user.email), ("Password: ", user.password)])
            #expect(login.status == 0)
            let after = try await stage.prepare("identity doctor")
            #expect(after.status == 0, "\(after)")
            #expect(try await stage.prepare("identity token").status == 0)
        },
        CommandScenario("identity login --provider \\(only.quotedForShell)") { stage in
            // Of several providers, it is the one that has no other session.
            let (fixture, user) = (stage.fixture, stage.fixture.insForge.user)
            try fixture.configure(
                fixture.insForgeProvider(named: "home"), fixture.insForgeProvider(named: "other"))
            try await fixture.keep(AccountID(account: "7", realm: "other"), at: fixture.insForge.url)
            try fixture.damageSession(of: try await fixture.signIn())
            let doctor = try await stage.prepare("identity doctor")
            #expect(doctor.status == 1, "\(doctor)")
            let login = try await stage.runAdvice(
                "identity login --provider \\(only.quotedForShell)", in: doctor.output,
                answering: [("mail", user.email), ("Password: ", user.password)])
            #expect(login.status == 0)
            #expect(try await stage.prepare("identity accounts").status == 0)
        },
        CommandScenario("chmod go-w \\(weakness.folder.quotedForShell)") { stage in
            // Others can change a folder above the store. It is a warning.
            #expect(try await stage.fixture.signIn().status == 0)
            let folder = stage.fixture.folder.appendingPathComponent("state")
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
            let doctor = try await stage.prepare("identity doctor --offline")
            #expect(doctor.output.contains("lets other users replace the store"), "\(doctor)")
            let advice = doctor.output
            #expect(try await stage.runAdvice("chmod go-w \\(weakness.folder.quotedForShell)", in: advice).status == 0)
            let after = try await stage.prepare("identity doctor --offline")
            #expect(!after.output.contains("lets other users"), "\(after)")
        },
    ]
}
