import Foundation
import IdentityKit

/// A place that was asked for a metadata document and has none, with its response.
public struct MetadataPlace: Sendable, Hashable, CustomStringConvertible {
    /// Address of the document, without a query.
    public let address: String
    public let status: Int
    /// The kind of content that a successful response had instead; `nil` for another status.
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

    /// Whether the document may appear later: the server failed, or asked to wait.
    var mayPass: Bool { status >= 500 || WaitRequest.isMade(by: status, nil) }

    /// Reads a document from the first of several places that has it. Any response without it continues the search; no
    /// response ends it, because the other places are at the same server.
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
    /// Transient if one of the places may have the document later.
    var failureClass: FailureClass { contains(where: \.mayPass) ? .transient : .definitive }

    /// The places as part of a sentence.
    var text: String { map(\.description).joined(separator: ", ") }

    /// Advice for an error that lists these places: to try later if that may help, otherwise `definitive`.
    func advice(_ definitive: String) -> String { failureClass == .transient ? "Try again later." : definitive }
}

extension InvalidResponseReason {
    /// A description of a successful response that is not a document, such as an HTML page.
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
