import Foundation
import IdentityKit

/// Text that grows while a test waits for parts of it.
final class ShownText: Sendable {
    private let content = Locked(Content())
    private let updates: AsyncStream<Void>
    private let update: AsyncStream<Void>.Continuation

    private struct Content {
        /// Bytes, because one write can end within a character.
        var bytes: [UInt8] = []
        /// End of the text that was waited for last.
        var place = 0
    }

    init() { (updates, update) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Appends bytes, and wakes whoever waits.
    func append(_ bytes: some Sequence<UInt8>) {
        content.withLock { $0.bytes += bytes }
        update.yield()
    }

    /// Ends the text, so that nobody waits for more.
    func end() { update.finish() }

    fileprivate var text: String { String(decoding: content.withLock { $0.bytes }, as: UTF8.self) }

    fileprivate func waits(for text: String) async {
        if finds(text) { return }
        for await _ in updates where finds(text) { return }
    }

    private func finds(_ text: String) -> Bool {
        content.withLock { content in
            guard let found = content.bytes[content.place...].firstRange(of: Array(text.utf8)) else { return false }
            content.place = found.upperBound
            return true
        }
    }
}

/// Shows a person text, as a terminal or a call of the library does.
protocol TextShowing: Sendable {
    var shown: ShownText { get }
}

extension TextShowing {
    /// Everything that was shown so far.
    var text: String { shown.text }

    /// Waits until `text` is shown after what was waited for before; returns at the end of the output as well.
    func waits(for text: String) async { await shown.waits(for: text) }
}
