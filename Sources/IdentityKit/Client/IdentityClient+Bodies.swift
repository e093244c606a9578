import Foundation

extension IdentityClient {
    /// Sends `request` as ``data(for:as:scopes:mayShowSignIn:)`` does, and returns the body while it arrives: a stream
    /// of events, or a body of any size.
    ///
    /// ```swift
    /// let (parts, response) = try await client.bytes(for: request)
    /// for try await part in parts { events.append(part) }
    /// ```
    ///
    /// A refused token is replaced as usual until the head of the response has arrived. A stream that breaks off is not
    /// requested again, because only the app knows where to resume. A transport of the app's own without
    /// ``HTTPTransport/stream(for:)`` brings the body as a whole.
    /// - Parameters:
    ///   - request: the request.
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - mayShowSignIn: whether the user may be asked to sign in.
    /// - Returns: the parts of the body, and the head of the response. A slow reader slows the server down; a body that
    ///   nobody reads any more ends the request.
    /// - Throws: as ``data(for:as:scopes:mayShowSignIn:)``; reading the body throws what the transport does.
    public func bytes(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (HTTPStream.Body, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            let response = try await $0.stream(for: $1)
            return (response.body, response.head)
        }
    }

    /// Sends `request` with a file as its body, as ``data(for:as:scopes:mayShowSignIn:)`` does. The file is read again
    /// when the request is repeated.
    /// - Parameters:
    ///   - request: the request. A body that it has is replaced.
    ///   - file: the file.
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - mayShowSignIn: whether the user may be asked to sign in.
    /// - Throws: ``TransportError/notSent(host:detail:)`` when the file cannot be read, otherwise as
    ///   ``data(for:as:scopes:mayShowSignIn:)``.
    public func upload(
        for request: URLRequest, fromFile file: URL, as account: AccountID? = nil, scopes: Set<String> = [],
        mayShowSignIn: Bool = false
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.httpBodyStream = nil
        return try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            try await $0.data(for: try $1.carrying(file))
        }
    }
}

extension URLRequest {
    /// Adds the content of `file`, which is read when the request is sent.
    fileprivate func carrying(_ file: URL) throws(TransportError) -> URLRequest {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? NSNumber, let stream = InputStream(url: file)
        else {
            throw .notSent(host: url?.authority ?? "the server", detail: "its file cannot be read")
        }
        var copy = self
        copy.httpBodyStream = stream
        // Without this field the body is sent in chunks, which some servers refuse.
        copy.setValue(size.stringValue, forHTTPHeaderField: "Content-Length")
        return copy
    }
}
