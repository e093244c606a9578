import Foundation
import IdentityKit

/// An address at which no metadata document was found, with the status of the response.
public struct MetadataPlace: Sendable, Hashable, CustomStringConvertible {
    /// The address of the request, without user name, password, query and fragment.
    public let address: String
    public let status: Int
    /// A few words about a body that is not the document, such as `a page`; `nil` if the status shows the failure.
    public let content: String?

    init(_ url: URL, status: Int, content: String? = nil) {
        address = url.absoluteString.addressAlone
        self.status = status
        self.content = content
    }

    /// The address, the status, and ``content`` if there is any, such as
    /// `https://id.example.com/.well-known/openid-configuration (200, a page)`.
    public var description: String {
        "\(sanitized(address, upTo: 200)) (\(status)\(content.map { ", " + $0 } ?? ""))"
    }

    /// Whether the document may appear later, because the server failed (status 500 or above) or asked to wait.
    var mayPass: Bool { status >= 500 || WaitRequest.isMade(by: status, nil) }

    /// Requests a document from one of the places where it may be. After a response without the document, the caller
    /// tries the next place. Without a response, the error of the transport ends the search, because the other places
    /// are usually at the same server.
    /// - Parameters:
    ///   - request: the request for the document at this place.
    ///   - transport: sends the request.
    ///   - places: the places without the document, to which this one is added if the document is not there.
    ///   - read: reads the document from the body and the head of the response.
    /// - Returns: `nil` when the document is not at this place.
    /// - Throws: what the transport throws, or what `read` throws about a document that must not be used.
    static func read<Document>(
        _ request: URLRequest, using transport: any HTTPTransport, noting places: inout [MetadataPlace],
        _ read: (Data, HTTPURLResponse) throws -> Document
    ) async throws -> Document? {
        let (data, response) = try await transport.data(for: request)
        guard let url = request.url else { return nil }
        do {
            return try read(data, response)
        } catch OAuthError.refused {
            places.append(MetadataPlace(url, status: response.statusCode))
        } catch OAuthError.invalidResponse(let reason, _) {
            places.append(MetadataPlace(url, status: response.statusCode, content: reason.contentInsteadOfDocument))
        }
        return nil
    }
}

extension [MetadataPlace] {
    /// Transient if one of the places may have the document later, otherwise definitive.
    var failureClass: FailureClass { contains(where: \.mayPass) ? .transient : .definitive }

    /// The descriptions of the places, separated by commas, for the text of an error.
    var text: String { map(\.description).joined(separator: ", ") }

    /// Returns the advice for an error that lists these places. If one of the places may have the document later, the advice
    /// is to try again later.
    /// - Parameter definitive: the advice for every other case.
    func advice(_ definitive: String) -> String { failureClass == .transient ? "Try again later." : definitive }
}

extension InvalidResponseReason {
    /// A few words about a body that is not the document; `nil` if the status already shows the failure.
    fileprivate var contentInsteadOfDocument: String? {
        switch self {
        case .wrongContentType(let type) where type?.contains("html") == true: "a page"
        case .wrongContentType, .malformedJSON, .malformedForm: "no JSON object"
        case .tooLarge(let limit): "more than \(limit) bytes"
        case .duplicateMember(let name): "\(sanitized(name)) twice"
        case .missingMember(let name): "no \(name)"
        case .invalidMember(let name): "\(name) in the wrong form"
        case .errorPage(200..<300): "a page"
        case .failedStatus, .errorPage, .asksToWait, .unexpectedStatus, .redirected, .unsupportedTokenType,
            .tokenElsewhere:
            nil
        }
    }
}
