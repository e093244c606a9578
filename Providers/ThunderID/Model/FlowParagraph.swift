import Foundation
import IdentityKit

/// A text of a step that stands by itself: neither a heading, nor a label, nor what is written on an action.
public struct FlowParagraph: Sendable, Hashable {
    /// A piece of the text.
    public struct Part: Sendable, Hashable {
        public let text: String
        /// The target of a link; `nil` for plain text.
        public let address: URL?
    }

    /// The pieces, in order.
    public let parts: [Part]

    /// The whole text, without where it leads.
    public var text: String { parts.map(\.text).joined() }
}

extension FlowParagraph.Part: CustomReflectable {
    /// Shows of the address no query.
    public var customMirror: Mirror {
        Mirror(self, showing: ["text": text, "address": address?.addressAlone as Any])
    }
}
