import Foundation
import IdentityKit
import SwiftUI

/// A backend that is no OAuth server: a code that a person copies from its page is the token.
enum BuildServerPlugin: ProviderPlugin {
    static let type = "build-server"

    struct Settings: Decodable, Sendable {
        let user: String
    }

    static func makeProvider(settings: Settings, context: ProviderContext) -> any IdentityProvider {
        BuildServerProvider(
            account: AccountID(account: settings.user, realm: context.name), tokens: PastedToken.shared)
    }
}

/// What the person has pasted, as long as the app runs.
actor PastedToken {
    static let shared = PastedToken()

    private(set) var token: Secret?

    func paste(_ text: String) {
        token = text.isEmpty ? nil : Secret(text)
    }
}

struct BuildServerProvider: IdentityProvider {
    let account: AccountID
    let tokens: PastedToken
    let mayShowSignIn = false

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        await tokens.token == nil ? nil : account
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? { nil }

    func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        guard let token = await tokens.token, accountID == account else { throw SessionError.notSignedIn(accountID) }
        return token.reveal()
    }
}

@main
struct BuildsApp: App {
    @State private var client = Result { try BuildsApp.makeClient() }

    var body: some Scene {
        WindowGroup {
            switch client {
            case .success(let client): BuildsView(client: client)
            case .failure(let error): Text(error.localizedDescription)
            }
        }
    }

    static func makeClient() throws -> IdentityClient {
        let document = #"{"providers": [{"name": "builds", "type": "build-server", "settings": {"user": "ada"}}]}"#
        return try IdentityClient(
            configuration: IdentityConfiguration(parsing: Data(document.utf8)),
            registry: ProviderRegistry([BuildServerPlugin.self]))
    }
}

struct BuildsView: View {
    let client: IdentityClient
    @State private var pasted = ""
    @State private var builds = ""

    var body: some View {
        VStack {
            SecureField("Code from the server's page", text: $pasted)
            Button("Show the builds") { Task { await show() } }
            Text(verbatim: builds)
        }
    }

    private func show() async {
        await PastedToken.shared.paste(pasted)
        do {
            guard let address = URL(string: "https://builds.example.com/api") else { throw URLError(.badURL) }
            let (data, _) = try await client.data(for: URLRequest(url: address))
            builds = String(decoding: data, as: UTF8.self)
        } catch {
            builds = error.localizedDescription
        }
    }
}
