import Foundation
import IdentityKit

/// A recognized backend: its type, and the settings that its documents contain.
struct DetectedBackend: Sendable {
    let type: String
    var settings: [String: JSONValue]
    /// The questions that the server's documents leave open; `nil` for the usual questions of the type.
    var questions: [SettingQuestion]?
    /// The name that the server publishes for itself; `nil` if it publishes none.
    var name: String?
}

/// Recognizes the backend at an address by the documents that each type of backend publishes. The requests contain no
/// client identifier.
struct BackendDetection {
    let address: URL
    let transport: any HTTPTransport
    /// The provider types, in the order in which they are tried.
    let plugins: [any ProviderPlugin.Type]

    /// Requests the documents of each type in order, and returns the backend of the first type that recognizes its
    /// documents.
    /// - Throws: ``BackendNotRecognizedError``, or the transport's error, such as `TransportError` when nothing answers
    ///   at the address.
    func backend() async throws -> DetectedBackend {
        var known: [URL: JSONValue?] = [:]
        for plugin in plugins where !plugin.setup.published.isEmpty {
            guard let found = plugin.setup.recognize(try await documents(of: plugin, &known)) else { continue }
            return DetectedBackend(
                type: plugin.type, settings: found.settings, questions: found.questions, name: found.name)
        }
        throw BackendNotRecognizedError(address: address)
    }

    /// Requests the documents that `plugin` needs to recognize the server. Each address is requested only once.
    private func documents(
        of plugin: any ProviderPlugin.Type, _ known: inout [URL: JSONValue?]
    ) async throws -> PublishedDocuments {
        var found: [PublishedDocument: JSONValue] = [:]
        for document in plugin.setup.published {
            guard let url = document.url(of: address) else { continue }
            if !known.keys.contains(url) { known.updateValue(try await object(at: url), forKey: url) }
            if case let object?? = known[url] { found[document] = object }
        }
        return PublishedDocuments(at: address, found)
    }

    /// Requests the JSON object at an address; returns `nil` for another status than 200 or another body.
    private func object(at url: URL) async throws -> JSONValue? {
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (body, head) = try await transport.data(for: request)
        guard head.statusCode == 200, let value = try? JSONValue(parsing: body), value.objectValue != nil else {
            return nil
        }
        return value
    }
}

/// No provider type recognizes the backend at the address.
struct BackendNotRecognizedError: IdentityFailure {
    let address: URL

    let failureCode = "backend_not_recognized"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(address.addressAlone) publishes no metadata of a known kind of backend. Check the address, or name the kind with --type."
    }
}
