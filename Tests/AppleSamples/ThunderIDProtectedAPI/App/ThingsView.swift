import Foundation
import IdentityKit
import SwiftUI
import ThunderID
import ThunderIDSwiftUI

enum ThingsError: Error {
    case noAddress
}

func loadThings(state: ThunderIDState) async throws -> Data {
    guard let address = URL(string: "https://localhost:8090/api/things") else { throw ThingsError.noAddress }
    let token = try await state.client.getAccessToken()
    var request = URLRequest(url: address)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await DefaultTransport.make().data(for: request)
    guard (200..<300).contains(response.statusCode) else { throw URLError(.badServerResponse) }
    return data
}

@main
struct ThingsApp: App {
    @StateObject private var state = ThunderIDState(
        config: ThunderIDConfig(baseUrl: "https://localhost:8090", clientId: "things"))

    var body: some Scene {
        WindowGroup { ThingsView().environmentObject(state).task { await state.start() } }
    }
}

struct ThingsView: View {
    @EnvironmentObject var state: ThunderIDState
    @State private var things = ""

    var body: some View {
        Text(things.isEmpty ? "Loading…" : things)
            .task {
                do {
                    things = String(decoding: try await loadThings(state: state), as: UTF8.self)
                } catch let error as IAMError where error.code == .sessionExpired {
                    _ = try? await state.client.signOut()
                    await state.refresh()
                } catch {
                    things = error.localizedDescription
                }
            }
    }
}

// What another network library declares, as far as this sample needs it.
protocol RequestInterceptor: Sendable {
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
}
final class Session: Sendable {}

/// With tokens of the ThunderID client.
final class ThunderIDRequestInterceptor: RequestInterceptor {
    let state: ThunderIDState

    init(state: ThunderIDState) {
        self.state = state
    }

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        RequestAuthorizer { [client = state.client] rejected in
            guard let rejected else { return try await client.getAccessToken() }
            return try await client.getAccessToken(replacing: rejected)
        }.authorize(urlRequest, completion: completion)
    }
}

// With tokens of whatever backend is configured.
// snippet: an-interceptor
struct TokenInterceptor: RequestInterceptor {
    let authorizer: RequestAuthorizer

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        authorizer.authorize(urlRequest, completion: completion)
    }
}
// end snippet
