import IdentityKit
import ServiceLifecycle

// snippet: a-client-service
/// Ends after the server, when what is being refreshed is stored.
struct ClientService: Service {
    let client: IdentityClient

    func run() async throws {
        await cancelWhenGracefulShutdown { await client.run() }
    }
}
// end snippet
