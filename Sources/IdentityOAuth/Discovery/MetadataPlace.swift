import Foundation
import IdentityKit

/// A place where a metadata document can be and is not, with what is there instead.
public struct MetadataPlace: Sendable, Hashable, CustomStringConvertible {
    /// Address of the document, without a query.
    public let address: String
    public let status: Int
    /// Content of a success in place of the document; `nil` for any other status, which says enough.
    public let content: String?

    init(_ url: URL, status: Int, content: String? = nil) {
        address = url.absoluteString.addressAlone
        self.status = status
        self.content = content
    }

    /// Address and status, such as `https://id.example.com/.well-known/openid-configuration (404)`.
    public var description: String {
        "\(sanitized(address, upTo: 200)) (\(status)\(content.map { ", " + $0 } ?? ""))"
    }

    /// Whether the document may be there later: the server failed, or asked to wait.
    var mayPass: Bool { status >= 500 || WaitRequest.isMade(by: status, nil) }

    /// Reads the document at one of several places. Whatever else a server responds does not end the search; silence does,
    /// because the other places are at the same server.
    /// - Parameters:
    ///   - request: asks for it.
    ///   - transport: sends the request.
    ///   - places: gets the place when the document is not there.
    ///   - read: reads the document.
    /// - Returns: `nil` when it is not there.
    /// - Throws: why a document that is there must not be used, or what the transport throws.
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
    /// Whether a document may be at one of them later.
    var failureClass: FailureClass { contains(where: \.mayPass) ? .transient : .definitive }

    /// The places as part of a sentence.
    var text: String { map(\.description).joined(separator: ", ") }

    /// Advice where they have no document.
    func advice(_ definitive: String) -> String { failureClass == .transient ? "Try again later." : definitive }
}

extension InvalidResponseReason {
    /// Content of a success that is no document.
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
