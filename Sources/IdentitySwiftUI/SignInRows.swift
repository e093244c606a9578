#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The rows of a sign-in screen, in the system's sizes and colours.
struct SignInRows: View {
    @ObservedObject var model: SignInModel
    let texts: ScreenTexts
    var showsTitle = true
    @FocusState private var focus: String?

    var body: some View {
        let rows = model.rows(texts)
        VStack(alignment: .leading, spacing: 16) {
            ForEach(Array(rows.indices), id: \.self) { index in row(rows[index], among: rows) }
        }
        .task(id: firstProblem) { if let firstProblem { focus = firstProblem } }
    }

    @ViewBuilder private func row(_ row: SignInRow, among rows: [SignInRow]) -> some View {
        switch row {
        case .title(let text):
            if showsTitle { Text(verbatim: text).font(.title2).bold().accessibilityAddTraits(.isHeader) }
        case .text(let text): Text(verbatim: text)
        case .problem(let text): Problem(text: text)
        case .picture(let picture): PictureRow(picture: picture)
        case .link(let link): LinkRow(link: link)
        case .copy(let copy): CopyRow(label: copy.label, text: copy.text.reveal())
        case .field(let field, let label, _, let problem):
            FieldRow(model: model, field: field, label: label, problem: problem, focus: $focus) {
                moveOn(from: field, among: rows)
            }
        case .code(let code): CopyRow(label: nil, text: code.userCode)
        case .progress(let text): ProgressView().accessibilityLabel(Text(verbatim: text))
        case .button(let button): ButtonRow(button: button) { model.perform(button.action) }
        }
    }

    /// The field that has the person's attention after an error.
    private var firstProblem: String? {
        model.screen.prompt?.fields.first { model.screen.problems[$0.identifier] != nil }?.identifier
    }

    /// The return key goes to the next field, and from the last one on.
    private func moveOn(from field: SignInPrompt.Field, among rows: [SignInRow]) {
        let fields = model.screen.prompt?.fields.map(\.identifier) ?? []
        if let index = fields.firstIndex(of: field.identifier), index + 1 < fields.count {
            focus = fields[index + 1]
            return
        }
        for case .button(let button) in rows where button.rank == .primary && button.isEnabled {
            model.perform(button.action)
        }
    }
}

/// The words about a problem.
private struct Problem: View {
    let text: String

    var body: some View { Text(verbatim: text).foregroundColor(.red) }
}

private struct PictureRow: View {
    let picture: SignInPrompt.Picture

    var body: some View {
        AsyncImage(url: picture.url) { image in
            image
        } placeholder: {
            ProgressView()
        }
        .accessibilityLabel(Text(verbatim: picture.description ?? ""))
        .accessibilityHidden(picture.description == nil)
    }
}

private struct LinkRow: View {
    let link: SignInPrompt.Link
    @Environment(\.openURL) private var openURL

    var body: some View {
        Button {
            openURL(link.url)
        } label: {
            Text(verbatim: link.text).frame(minHeight: 44)
        }
        .quiet()
    }
}

private struct CopyRow: View {
    let label: String?
    let text: String

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            if let label { Text(verbatim: label).font(.subheadline) }
            Text(verbatim: text).font(.title2).selectable()
        }
    }
}

private struct ButtonRow: View {
    let button: SignInRow.Button
    let action: () -> Void

    var body: some View {
        switch button.rank {
        case .primary: plain.buttonStyle(.borderedProminent).pressedByReturn()
        case .secondary: plain.buttonStyle(.bordered)
        case .quiet: plain.quiet()
        }
    }

    private var plain: some View {
        Button {
            action()
        } label: {
            VStack(alignment: .center, spacing: 2) {
                Text(verbatim: button.label)
                if let host = button.host { Text(verbatim: host).font(.subheadline) }
            }
            .frame(maxWidth: .infinity, minHeight: 44)
        }
        .disabled(!button.isEnabled)
    }
}

extension View {
    /// The return key presses it, where there is a keyboard.
    @ViewBuilder fileprivate func pressedByReturn() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        keyboardShortcut(.defaultAction)
        #endif
    }

    /// A button that is drawn as a text.
    @ViewBuilder fileprivate func quiet() -> some View {
        #if os(tvOS)
        buttonStyle(.bordered)
        #else
        buttonStyle(.borderless)
        #endif
    }

    /// A text that can be copied.
    @ViewBuilder fileprivate func selectable() -> some View {
        #if os(tvOS) || os(watchOS)
        self
        #else
        textSelection(.enabled)
        #endif
    }
}
#endif
