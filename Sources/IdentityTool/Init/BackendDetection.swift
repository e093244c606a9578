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
    /// - Throws: ``BackendNotRecognizedError`` if no type recognizes the documents, or if the server could not send a
    ///   document of a type that comes before the recognized one. The transport's error if a request fails, such as
    ///   `TransportError` when nothing answers at the address.
    func backend() async throws -> DetectedBackend {
        var known: [URL: JSONValue?] = [:]
        var gaps = Gaps()
        for plugin in plugins where !plugin.setup.published.isEmpty {
            // If the server could not send a document of an earlier type, the backend may be of that type. Then do not accept
            // this type.
            let doubt = gaps.withheld
            let documents = try await documents(of: plugin, &known, &gaps)
            guard let found = plugin.setup.recognize(documents) else { continue }
            guard doubt == nil else { break }
            return DetectedBackend(
                type: plugin.type, settings: found.settings, questions: found.questions, name: found.name)
        }
        throw BackendNotRecognizedError(address: address, withheld: gaps.withheld, refused: gaps.refused)
    }

    /// Responses without a document, the first of each of two kinds. A response with the status 404 belongs to neither kind,
    /// because it is usual for a server that does not have the document.
    private struct Gaps {
        /// The first temporary error, after which the document may still exist.
        var withheld: MissingDocument?
        /// The first other response, such as a refusal by a proxy, or a web page.
        var refused: MissingDocument?
    }

    /// Requests the documents that `plugin` needs to recognize the server. Each address is requested only once.
    private func documents(
        of plugin: any ProviderPlugin.Type, _ known: inout [URL: JSONValue?], _ gaps: inout Gaps
    ) async throws -> PublishedDocuments {
        var found: [PublishedDocument: JSONValue] = [:]
        for document in plugin.setup.published {
            guard let url = document.url(of: address) else { continue }
            if !known.keys.contains(url) { known.updateValue(try await object(at: url, &gaps), forKey: url) }
            if case let object?? = known[url] { found[document] = object }
        }
        return PublishedDocuments(at: address, found)
    }

    /// Requests the JSON object at an address; returns `nil` for any status but 200, and for a body that is not a JSON
    /// object. Adds the response to `gaps` then, unless its status is 404.
    private func object(at url: URL, _ gaps: inout Gaps) async throws -> JSONValue? {
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (body, head) = try await transport.data(for: request)
        let status = head.statusCode
        if status == 200, let value = try? JSONValue(parsing: body), value.objectValue != nil { return value }
        let missing = MissingDocument(url: url, status: status)
        // 501 and 505 are permanent errors, unlike other statuses of 500 or more.
        if status >= 500 && ![501, 505].contains(status) || [408, 425, 429].contains(status) {
            gaps.withheld = gaps.withheld ?? missing
        } else if status != 404 {
            gaps.refused = gaps.refused ?? missing
        }
        return nil
    }
}

/// A document that the server did not send.
struct MissingDocument: Sendable {
    let url: URL
    let status: Int
}

/// No provider type recognizes the backend at the address.
struct BackendNotRecognizedError: IdentityFailure {
    let address: URL
    /// A document that the server cannot send now, because it failed or asked to wait.
    var withheld: MissingDocument?
    /// A document in whose place something else was sent, such as a refusal or a page.
    var refused: MissingDocument?

    let failureCode = "backend_not_recognized"
    var failureClass: FailureClass { withheld == nil ? .definitive : .transient }
    var message: String {
        if let withheld {
            return "\(withheld.url.addressAlone) has the status \(withheld.status), so the kind of backend is "
                + "not known. Try again later, or name the kind with --type."
        }
        if let refused {
            let content = refused.status == 200 ? " and no JSON object" : ""
            return "\(refused.url.addressAlone) has the status \(refused.status)\(content), so no kind of backend is "
                + "recognized. Check the address, or name the kind with --type."
        }
        return "\(address.addressAlone) publishes no metadata of a known kind of backend. "
            + "Check the address, or name the kind with --type."
    }
}
