import Foundation
import IdentityKit

/// A text of a step that is neither a heading nor a label.
public struct FlowParagraph: Sendable, Hashable {
    /// A piece of the text: either plain text or a link.
    public struct Part: Sendable, Hashable {
        public let text: String
        /// The target of a link; `nil` for plain text.
        public let address: URL?
    }

    /// The pieces of the text, in the order in which to show them.
    public let parts: [Part]

    /// The whole text, without the addresses of links.
    public var text: String { parts.map(\.text).joined() }
}

extension FlowParagraph.Part: Reticent {
    /// Shows the address without its query.
    package var shown: KeyValuePairs<String, Any> { ["text": text, "address": address?.addressAlone as Any] }
}
