import Foundation
import IdentityKit

/// A backend, by its type and what is known of it.
struct DetectedBackend: Sendable {
    let type: String
    var settings: [String: JSONValue]
    /// The questions about a server that was recognized; `nil` for the questions of the type.
    var questions: [SettingQuestion]?
}

/// Recognizes the backend at an address by the documents that each kind publishes. No request names a client.
struct BackendDetection {
    let address: URL
    let transport: any HTTPTransport
    /// The kinds, in the order in which they count.
    let plugins: [any ProviderPlugin.Type]

    /// The backend.
    /// - Throws: ``BackendNotRecognized``, or `TransportError` when nothing answers at the address.
    func backend() async throws -> DetectedBackend {
        var known: [PublishedDocument: JSONValue?] = [:]
        for plugin in plugins where !plugin.published.isEmpty {
            guard let documents = try await documents(of: plugin, &known), let found = plugin.recognize(documents)
            else { continue }
            return DetectedBackend(type: plugin.type, settings: found.settings, questions: found.questions)
        }
        throw BackendNotRecognized(address: address)
    }

    /// The documents by which `plugin` recognizes a server; `nil` when one of the documents is missing. Each is asked for once.
    private func documents(
        of plugin: any ProviderPlugin.Type, _ known: inout [PublishedDocument: JSONValue?]
    ) async throws -> PublishedDocuments? {
        var found: [PublishedDocument: JSONValue] = [:]
        for document in plugin.published {
            if !known.keys.contains(document) { known.updateValue(try await object(document), forKey: document) }
            guard case let object?? = known[document] else { return nil }
            found[document] = object
        }
        return PublishedDocuments(at: address, found)
    }

    /// The JSON object; `nil` when there is none.
    private func object(_ document: PublishedDocument) async throws -> JSONValue? {
        guard let url = document.url(of: address) else { return nil }
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (body, head) = try await transport.data(for: request)
        guard head.statusCode == 200, let value = try? JSONValue(parsing: body), value.objectValue != nil else {
            return nil
        }
        return value
    }
}

/// What is at an address is no backend that is known.
struct BackendNotRecognized: IdentityFailure {
    let address: URL

    let failureCode = "backend_not_recognized"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(address.absoluteString) publishes no metadata of a known kind of backend. Check the address, or name the kind with --type."
    }
}
