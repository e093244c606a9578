#if canImport(SwiftUI) && !os(tvOS) && !os(watchOS)
import SwiftUI
import ThunderID

/// Draws a step of a flow. Its texts come from the server in the person's language; the few of our own are looked up in
/// the app's string catalogue. Colours, sizes and spacing are the system's, so dark mode and large type need nothing.
struct FlowForm: View {
    @ObservedObject var flow: SignInFlow
    @FocusState private var focus: String?

    var body: some View {
        VStack(alignment: .leading, spacing: 16) {
            ForEach(flow.headings, id: \.self) { heading in
                Text(verbatim: heading).font(.title2).bold().accessibilityAddTraits(.isHeader)
            }
            ForEach(flow.paragraphs.filter { !$0.hasLinks }, id: \.self) { ParagraphText(paragraph: $0) }
            if let message = flow.message { Text(verbatim: message).foregroundStyle(.secondary) }
            if let error = flow.error { ProblemText(text: error) }
            ForEach(flow.inputs) { input in
                FlowField(flow: flow, input: input, focus: $focus, isLast: input.id == flow.inputs.last?.id) {
                    moveOn(from: input)
                }
            }
            if let consent = flow.consent { ConsentFields(flow: flow, consent: consent) }
            ForEach(flow.copyables, id: \.text) { CopyableText(copyable: $0) }
            buttons
            ForEach(flow.paragraphs.filter(\.hasLinks), id: \.self) { ParagraphText(paragraph: $0) }
        }
        .disabled(flow.isLoading)
        .overlay {
            if flow.isLoading || flow.isStarting { ProgressView().accessibilityLabel(Text("Please wait")) }
        }
        .task(id: flow.inputs.first?.name) { focus = flow.inputs.first?.name }
        .task(id: flow.suggestion) { await flow.suggestPasskeys() }
    }

    @ViewBuilder private var buttons: some View {
        if let action = flow.primaryAction {
            Button(action.title) { flow.submit() }
                .buttonStyle(.borderedProminent)
                .keyboardShortcut(.defaultAction)
        } else {
            ForEach(flow.actions) { action in
                if action.id == flow.actions.first?.id {
                    Button(action.title) { flow.submit(actionId: action.id) }
                        .buttonStyle(.borderedProminent)
                        .keyboardShortcut(.defaultAction)
                } else {
                    Button(action.title) { flow.submit(actionId: action.id) }
                        .buttonStyle(.borderless)
                }
            }
        }
        if flow.canStartAgain {
            Button(SignInFlow.PrimaryAction.startAgain.title) { Task { await flow.restart() } }
                .buttonStyle(.borderless)
        }
    }

    /// The return key goes to the next field, and from the last one on.
    private func moveOn(from input: FlowInput) {
        let names = flow.inputs.map(\.name)
        guard let index = names.firstIndex(of: input.name), index + 1 < names.count else { return flow.submit() }
        focus = names[index + 1]
    }
}

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
    fileprivate var hasLinks: Bool { parts.contains { $0.address != nil } }
}

/// What the person may pass on.
struct CopyableText: View {
    let copyable: FlowCopyable

    var body: some View {
        if let label = copyable.label { Text(verbatim: label).font(.subheadline) }
        Text(verbatim: copyable.text).textSelection(.enabled)
        if let address = URL(string: copyable.text) { ShareLink(item: address) }
    }
}

/// What the person agrees to share.
struct ConsentFields: View {
    @ObservedObject var flow: SignInFlow
    let consent: ConsentQuestion

    var body: some View {
        ForEach(consent.purposes, id: \.name) { purpose in
            if let description = purpose.description { Text(verbatim: description) }
            ForEach(purpose.essential + purpose.optional, id: \.self) { element in
                Toggle(isOn: flow.agreement(to: element)) { Text(verbatim: element.readable) }
            }
        }
    }
}

extension SignInFlow.PrimaryAction {
    fileprivate var title: LocalizedStringKey {
        switch self {
        case .proceed: "Continue"
        case .tryAgain: "Try again"
        case .startAgain: "Start again"
        }
    }
}
#endif
