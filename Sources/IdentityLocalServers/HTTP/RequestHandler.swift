import Foundation
import NIOCore
import NIOHTTP1

/// Assembles the requests of one connection and writes the responses.
final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let maximumBodySize: Int
    private let handling: @Sendable (LocalRequest) async -> Outcome
    private var head: HTTPRequestHead?
    private var body = Data()

    init(maximumBodySize: Int, handling: @escaping @Sendable (LocalRequest) async -> Outcome) {
        self.maximumBodySize = maximumBodySize
        self.handling = handling
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = Data()
        case .body(let part):
            // Once the body exceeds the limit, its further parts are not kept, because the response is 413 in any case.
            if body.count <= maximumBodySize { body.append(contentsOf: part.readableBytesView) }
        case .end:
            guard let head else { return }
            self.head = nil
            respond(to: head, on: context.channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func respond(to head: HTTPRequestHead, on channel: any Channel) {
        guard body.count <= maximumBodySize else {
            return Self.write(.text("The body is too large.\n", status: 413), keepAlive: false, on: channel)
        }
        // HTTP/1.1 requires exactly one `Host` (RFC 9112 section 3.2). If there were two, the check of the host and the handler
        // could read different values.
        guard head.headers["Host"].count == 1 || (head.headers["Host"].isEmpty && head.version == .http1_0) else {
            return Self.write(.text("A request must name one host.\n", status: 400), keepAlive: false, on: channel)
        }
        let request = LocalRequest(
            method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { LocalRequest.Parameter(name: $0.name, value: $0.value) }, body: body
        )
        let keepAlive = head.isKeepAlive
        let isHead = head.method == .HEAD
        Task { [handling] in
            let outcome = await handling(request)
            RequestHandler.conclude(outcome, keepAlive: keepAlive, isHead: isHead, on: channel)
        }
    }

    private static func conclude(_ outcome: Outcome, keepAlive: Bool, isHead: Bool, on channel: any Channel) {
        switch outcome {
        case .answer(let response) where response.isEndless && !isHead:
            writeForever(response, on: channel)
        case .answer(let response):
            write(response, keepAlive: keepAlive, isHead: isHead, on: channel)
        case .truncate(let response):
            write(response, keepAlive: false, sentBytes: response.body.count / 2, on: channel)
        case .close:
            channel.close(promise: nil)
        case .hang:
            break
        }
    }

    /// Sends the body repeatedly until the client closes the connection. Each chunk is sent only after the previous one.
    private static func writeForever(_ response: LocalResponse, on channel: any Channel) {
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status),
            headers: HTTPHeaders(response.headers.map { ($0.name, $0.value) }))
        let body = response.body.isEmpty ? Data([UInt8(ascii: " ")]) : response.body
        // Large chunks let a client reach its size limit soon.
        let piece = ByteBuffer(bytes: repeatElement(body, count: 1 + 65_536 / body.count).joined())
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        Task {
            while channel.isActive {
                do {
                    try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(piece)))
                } catch {
                    channel.close(promise: nil)
                    return
                }
            }
        }
    }

    private static func write(
        _ response: LocalResponse, keepAlive: Bool, isHead: Bool = false, sentBytes: Int? = nil,
        on channel: any Channel
    ) {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        // Without a `Content-Length`, NIO sends the body in chunks.
        if response.trailers.isEmpty {
            headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
        }
        headers.replaceOrAdd(name: "Connection", value: keepAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        let body = isHead ? Data() : response.body.prefix(sentBytes ?? response.body.count)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        if sentBytes != nil {
            // Without `.end`, the response stays incomplete. Close the connection, like a broken server.
            channel.flush()
            channel.close(promise: nil)
            response.whenSent?()
        } else {
            let trailers = response.trailers.isEmpty ? nil : HTTPHeaders(response.trailers.map { ($0.name, $0.value) })
            let written = channel.writeAndFlush(HTTPServerResponsePart.end(trailers))
            written.whenComplete { _ in
                if !keepAlive { channel.close(promise: nil) }
                response.whenSent?()
            }
        }
    }
}
