import ArgumentParser
import Foundation
import IdentityKit

/// `identity-benchmarks first-request`: a process that makes a transport and sends one request. Then the process prints
/// three numbers: the nanoseconds since `main()` began, the nanoseconds for the transport and the request, and its
/// resident memory in bytes.
struct FirstRequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "first-request", shouldDisplay: false)

    /// The transport; without a transport, no request is sent.
    @Option var transport: BenchmarkTransport?
    @Argument var server: String

    func run() async throws {
        guard let url = URL(string: server) else { throw ValidationError("\(server) is no address.") }
        let begin = ContinuousClock.now
        let transport = try transport?.make()
        if let transport { _ = try await transport.data(for: URLRequest(url: url)) }
        let end = ContinuousClock.now
        print(
            (end - BenchmarksCommand.start) / .nanoseconds(1), (end - begin) / .nanoseconds(1), MemoryUse.resident)
        withExtendedLifetime(transport) {}
    }
}

enum BenchmarkTransport: String, CaseIterable, ExpressibleByArgument {
    #if os(Linux)
    case curl = "CurlTransport"
    #endif
    case urlSession = "URLSessionTransport"

    func make() throws -> any HTTPTransport {
        switch self {
        #if os(Linux)
        case .curl:
            guard let transport = CurlTransport() else {
                throw Skipped(description: DefaultTransport.missing ?? "there is no libcurl")
            }
            return transport
        #endif
        case .urlSession: return URLSessionTransport()
        }
    }
}
