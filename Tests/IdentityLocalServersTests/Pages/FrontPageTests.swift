import Foundation
import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("What a server shows about itself", .stopsServers)
struct FrontPageTests {
    @Test("The address of each server is a page with its clients and people, and leads to the dashboard")
    func frontPages() async throws {
        let visitor = try await DashboardVisitor.start()
        let servers: [(key: String, site: String, url: URL, person: String)] = [
            ("oidc", "OpenID Connect", visitor.openIDConnect.server.url, "Ada Lovelace"),
            ("thunderid", "ThunderID", visitor.thunderID.server.url, "Ada Lovelace"),
            ("insforge", "InsForge", visitor.insForge.server.url, "Robin Doe"),
        ]
        for server in servers {
            let page = try await FormVisitor(server.url).open("/")
            #expect(page.status == 200 && page.title == "Local \(server.site) server")
            #expect(page.html.contains("<strong>\(server.person)</strong>"), "\(server.key)")
            #expect(page.html.contains("href=\"\(visitor.dashboard.url.absoluteString)/\(server.key)\""))
            #expect(page.html.contains("<h2>Clients</h2>") == (server.key != "insforge"))
            let link = try #require(page.html.firstMatch(of: #/<p><a href="([^"]*)">What programs/#)?.output.1)
            #expect(try await FormVisitor(server.url).open(String(link)).status == 200)
        }
    }

    @Test("A program gets what it got before")
    func programs() async throws {
        let visitor = try await DashboardVisitor.start()
        let thunderID = try await visitor.thunderID.get("/")
        #expect(thunderID.status == 401)
        #expect(try await visitor.insForge.send("GET", "/").json["error"] == "NOT_FOUND")
        #expect(try await visitor.openIDConnect.get("/").status == 404)
    }

    @Test("Behind another name nobody is listed")
    func elsewhere() async throws {
        let server = try await PlainOpenIDClient.start { $0.issuer = "https://id.example" }.server
        func page(_ host: String) async throws -> String {
            var request = URLRequest(url: server.url)
            request.setValue(host, forHTTPHeaderField: "Host")
            request.setValue("text/html", forHTTPHeaderField: "Accept")
            return String(decoding: try await DefaultTransport.make().data(for: request).0, as: UTF8.self)
        }
        let (there, here) = (try await page("id.example"), try await page("127.0.0.1:\(server.url.port ?? 0)"))
        #expect(there.contains("Local OpenID Connect server") && !there.contains("Ada"))
        #expect(here.contains("Ada Lovelace"))
    }

    @Test("An unknown client is named, with those there are and how one is added")
    func unknownClient() async throws {
        let visitor = try await DashboardVisitor.start()
        let dashboard = visitor.dashboard.url.absoluteString
        let openID = try await FormVisitor(visitor.openIDConnect.server.url).open("/authorize?client_id=%3Cb%3Eapp")
        #expect(openID.status == 400 && openID.alert == "No client is registered as “&lt;b&gt;app”.")
        #expect(openID.html.contains("<code>swift-app</code>"))
        #expect(openID.html.contains("href=\"\(dashboard)/oidc/client\""))
        let none = try await FormVisitor(visitor.openIDConnect.server.url).open("/authorize")
        #expect(none.alert == "The address must name one client (client_id).")
        let thunderID = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let page = try await FormVisitor(thunderID.server.url).open("/oauth2/authorize?client_id=nobody")
        #expect(page.alert == "No client is registered as “nobody”." && page.html.contains("swift-demo"))
        #expect(page.html.contains("use the dashboard of"))
        let program = try await thunderID.get("/oauth2/authorize?client_id=nobody")
        #expect(program.location?.parameter("client_id") == nil)
    }
}

@Suite("Choosing a person", .stopsServers)
struct PersonChoiceTests {
    @Test("OpenID Connect: a person is chosen without a password, and the form is one click away")
    func openIDConnect() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        #expect(page.html.contains("Ada Lovelace · ada</button>"))
        #expect(page.html.contains("<details><summary>Sign in with a password</summary>"))
        let consent = try await person.choose(client.server.user.id, on: page)
        #expect(consent.title == "Allow access")
        #expect(consent.html.contains("<p>You are signed in as <strong>Ada Lovelace</strong>"))
        #expect(!consent.html.contains("</span>."), "no full stop on a line of its own")
        let again = try await FormVisitor(client.server.url).open(client.authorizationURL(["login_hint": "ada"]))
        let refused = try await FormVisitor(client.server.url).submit(again, ["username": "ada", "password": "guess"])
        #expect(refused.html.contains("<details open>") && refused.alert == OpenIDPage.wrongCredentials)
    }

    @Test("Nobody is chosen who does not exist")
    func strangers() async throws {
        let (client, person) = try await openIDPages()
        let page = try await person.open(client.authorizationURL([:]))
        #expect(try await person.choose("nobody", on: page).alert == OpenIDPage.wrongCredentials)
    }

    @Test("Nobody is chosen from another machine, where the request names the issuer's host")
    func otherMachine() async throws {
        let (client, person) = try await openIDPages { $0.issuer = "https://id.example" }
        let page = try await person.open(
            "/authorize?response_type=code&client_id=swift-app&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback"
                + "&scope=openid&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256")
        let hidden = (page.choice?.fields ?? []).filter { $0.type == "hidden" }.map { (name: $0.name, value: $0.value) }
        let fields = hidden + [(name: HTMLPage.chosenPerson, value: client.server.user.id)]
        let there = try await person.post("/login", fields, headers: ["Host": "id.example"])
        let here = try await person.post("/login", fields)
        #expect(there.alert == OpenIDPage.wrongCredentials && !there.html.contains("Ada"))
        #expect(here.title == "Allow access")
    }

    @Test("A device is connected by choosing a person, with the code of its page or one that is typed")
    func device() async throws {
        let (client, person) = try await openIDPages()
        let device = try await client.post("/device-authorization", ["client_id": client.server.client.id])
        let code = device["user_code"] ?? ""
        let page = try await person.open("/device?user_code=\(code)")
        #expect(page.choice?.fields.first { $0.name == "user_code" }?.value == code)
        #expect(page.html.components(separatedBy: "id=\"choice-user_code\"").count == 2)
        #expect(page.html.components(separatedBy: "id=\"field-user_code\"").count == 2)
        let empty = try await person.choose(client.server.user.id, on: page, ["user_code": ""])
        #expect(empty.alert == "No device waits with this code." && empty.html.contains("<details>"))
        #expect(empty.html.components(separatedBy: " autofocus").count == 2)
        #expect(try await person.choose("nobody", on: page).alert == OpenIDPage.wrongCredentials)
        let done = try await person.choose(client.server.user.id, on: empty, ["user_code": code.lowercased()])
        #expect(done.title == "The device is connected")
        let tokens = try await client.post(
            "/token",
            [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client.server.client.id,
                "device_code": device["device_code"] ?? "",
            ])
        #expect(tokens.status == 200)
    }

    @Test("Who is disabled is not offered")
    func disabled() async throws {
        let (client, person) = try await openIDPages()
        _ = try client.server.put(OpenIDUserDirectory.Record(user: client.server.user, isActive: false))
        let page = try await person.open(client.authorizationURL([:]))
        #expect(page.choice == nil && !page.html.contains("<details"))
    }

    @Test("ThunderID: the flow goes on as with the password of who is chosen")
    func thunderID() async throws {
        let visitor = try await ThunderIDVisitor.start(.init { $0.servesGate = true })
        let person = FormVisitor(visitor.server.url)
        let page = try await person.open(visitor.authorizationURL())
        let landing = try await person.choose(visitor.server.user.id, on: page)
        #expect(try await visitor.redeem(landing.url.parameter("code") ?? "").status == 200)
    }

    @Test("ThunderID: the page of a message offers the person to whom it was sent")
    func message() async throws {
        let grace = LocalThunderIDServer.User(id: "grace-1", username: "grace")
        let configuration = LocalThunderIDServer.Configuration {
            ($0.servesGate, $0.additionalUsers) = (true, [grace])
            $0.application.grantTypes = [.backchannel, .refreshToken, .authorizationCode]
        }
        let visitor = try await ThunderIDVisitor.start(configuration)
        func open() async throws -> (FormVisitor, FormVisitor.Page) {
            let begun = try await visitor.post(
                "/oauth2/bc-authorize",
                form: [
                    ("client_id", visitor.server.application.clientID), ("scope", "openid"), ("login_hint", "ada"),
                ])
            #expect(begun.status == 200)
            let person = FormVisitor(visitor.server.url)
            return (person, try await person.open(try #require(visitor.server.messages.last?.link)))
        }
        let (person, page) = try await open()
        let offered = (page.choice?.fields ?? []).filter { $0.name == HTMLPage.chosenPerson }.map(\.value)
        #expect(offered == [visitor.server.user.id])
        let done = try await person.choose(visitor.server.user.id, on: page)
        #expect(done.title == "Done" && done.html.contains("The other device continues."))
        let (other, again) = try await open()
        let refused = try await other.submit(again, pressing: "1")
        #expect(refused.title == "Not signed in" && !refused.html.contains("continues"))
    }

    @Test("InsForge: the hosted page lists who has a confirmed address")
    func insForge() async throws {
        let (probe, person) = try await insForgePages()
        let page = try await person.open(
            "/auth/sign-in?redirect=app%3A%2F%2Fcb&code_challenge=\(InsForgeProbe.challenge)")
        let landing = try await person.choose(probe.server.user.id, on: page)
        #expect(try await probe.exchange(landing.url.formParameters["insforge_code"] ?? "").status == 200)
    }
}
