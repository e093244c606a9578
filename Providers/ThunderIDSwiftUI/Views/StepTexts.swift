#if canImport(SwiftUI)
import SwiftUI

/// What went wrong, for eyes and ears.
struct ProblemText: View {
    let text: String

    var body: some View {
        Label {
            Text(verbatim: text)
        } icon: {
            Image(systemName: "exclamationmark.circle")
        }
        .font(.callout)
        .foregroundStyle(.red)
        .accessibilityElement(children: .combine)
        .accessibilityIdentifier(ElementIdentifier.problem)
    }
}

/// A text of the step. What leads elsewhere stands below the buttons.
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

/// What the person may pass on.
struct CopyableText: View {
    let copyable: FlowCopyable

    var body: some View {
        if let label = copyable.label { Text(verbatim: label).font(.subheadline) }
        Text(verbatim: copyable.text).selectable()
        #if !os(tvOS)
        if let address = URL(string: copyable.text) { ShareLink(item: address) }
        #endif
    }
}
#endif
