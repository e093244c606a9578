#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// Error message in red with an icon. Screen readers treat the message and the icon as one element.
package struct ProblemText: View {
    private let text: String
    private let identifier: String

    package init(_ text: String, identifier: String) { (self.text, self.identifier) = (text, identifier) }

    package var body: some View {
        Label {
            Text(verbatim: text)
        } icon: {
            Image(systemName: "exclamationmark.circle")
        }
        .font(.callout)
        .foregroundStyle(.red)
        .accessibilityElement(children: .combine)
        .accessibilityIdentifier(identifier)
    }
}

package struct HeadingText: View {
    private let text: String

    package init(_ text: String) { self.text = text }

    package var body: some View {
        Text(verbatim: text).font(.title2).bold().accessibilityAddTraits(.isHeader)
    }
}

/// A text that the person can select and copy, except on tvOS and watchOS. An address also has a button to share it, except
/// on tvOS.
package struct CopyRow: View {
    private let label: String?
    private let text: String
    private let font: Font?

    package init(label: String?, text: String, font: Font? = nil) {
        (self.label, self.text, self.font) = (label, text, font)
    }

    package var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            if let label { Text(verbatim: label).font(.subheadline) }
            Text(verbatim: text).font(font).selectable()
            #if !os(tvOS)
            if let address = URL(string: text), address.scheme != nil { ShareLink(item: address) }
            #endif
        }
    }
}

struct PictureRow: View {
    let url: URL
    let description: String?

    var body: some View {
        AsyncImage(url: url) { image in
            image
        } placeholder: {
            ProgressView()
        }
        .accessibilityLabel(Text(verbatim: description ?? ""))
        .accessibilityHidden(description == nil)
    }
}

struct LinkRow: View {
    let text: String
    let url: URL
    @Environment(\.openURL) private var openURL

    var body: some View { RankedButton(text, rank: .quiet) { openURL(url) } }
}
#endif
