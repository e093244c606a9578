import Dispatch
import Foundation
import IdentityKit

/// A program whose last act reads its store, or sends a request, after what its libraries registered with atexit(3).
struct ExitLook {
    let arguments: Arguments

    func run() async throws {
        // Handlers run in the reverse order, so this one runs last.
        atexit {
            let isOver = DispatchSemaphore(value: 0)
            Task {
                do {
                    try await ExitLook(arguments: Arguments(CommandLine.arguments.dropFirst())).look()
                } catch {
                    say("failed \((error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))")")
                }
                isOver.signal()
            }
            isOver.wait()
        }
        try await look()
        exit(0)
    }

    private func look() async throws {
        guard let server = arguments.values["server"] else {
            _ = try await arguments.store().records(in: .accounts)
            return say("read")
        }
        let certificates = try TrustedCertificates(Data(contentsOf: URL(fileURLWithPath: arguments.text("authority"))))
        guard let transport = DefaultTransport.make() as? any TrustingTransport else {
            throw ProbeError(message: "The transport of this system trusts no other certificates.")
        }
        let request = URLRequest(url: try ServerURL(server).url)
        say("answered \(try await transport.trusting(certificates).data(for: request).1.statusCode)")
    }
}
