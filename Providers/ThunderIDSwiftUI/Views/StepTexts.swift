#if canImport(SwiftUI)
import SwiftUI

/// A text of a step, with its links. `FlowForm` places texts with links below the buttons.
struct ParagraphText: View {
    let paragraph: FlowParagraph

    var body: some View {
        Text(
            paragraph.parts.reduce(into: AttributedString()) { text, part in
                var piece = AttributedString(part.text)
                piece.link = part.address
                text += piece
            })
    }
}

extension FlowParagraph {
    var hasLinks: Bool { parts.contains { $0.address != nil } }
}
#endif
