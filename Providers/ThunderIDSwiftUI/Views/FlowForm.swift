#if canImport(SwiftUI)
import IdentityKit
import IdentitySwiftUI
import SwiftUI

/// Draws a step of a flow. The texts come from the server in the person's language, or else from ``SignInFlow/texts``.
/// Fonts and colors are the system's, so that dark mode and large type work. A `SignInTheme` can change the tint,
/// spacing, width and corner radius.
struct FlowForm: View {
    @ObservedObject var flow: SignInFlow
    @FocusState private var focus: String?

    var body: some View {
        ThemedColumn {
            ForEach(flow.headings, id: \.self) { HeadingText($0) }
            ForEach(flow.paragraphs.filter { !$0.hasLinks }, id: \.self) { ParagraphText(paragraph: $0) }
            if let message = flow.message { Text(verbatim: message).foregroundStyle(.secondary) }
            if let error = flow.error { ProblemText(error, identifier: ElementIdentifier.problem) }
            ForEach(flow.inputs) { input in
                FlowField(flow: flow, input: input, focus: $focus) { moveOn(from: input) }
            }
            if let consent = flow.consent { ConsentFields(flow: flow, consent: consent) }
            ForEach(flow.copyables, id: \.text) { CopyRow(label: $0.label, text: $0.text) }
            buttons
            ForEach(flow.paragraphs.filter(\.hasLinks), id: \.self) { ParagraphText(paragraph: $0) }
        }
        .disabled(flow.isLoading)
        .overlay {
            if flow.isLoading || flow.isStarting {
                ProgressView().accessibilityLabel(Text(verbatim: flow.texts.text(.signInWait)))
            }
        }
        .task(id: flow.inputs.first?.name) { focus = flow.inputs.first?.name }
        .task(id: flow.suggestion) { await flow.suggestPasskeys() }
        .announcing(flow.announcement)
    }

    @ViewBuilder private var buttons: some View {
        if let action = flow.primaryAction {
            button(flow.title(of: action), action.name, rank: .primary) { flow.submit() }
        } else {
            ForEach(flow.actions) { action in
                if action.isTrigger {
                    BrandedButton(action: action, isLoading: flow.isLoading) { flow.submit(actionId: action.id) }
                } else {
                    button(
                        flow.title(of: action), action.id, rank: action.id == flow.actions.first?.id ? .primary : .quiet
                    ) {
                        flow.submit(actionId: action.id)
                    }
                }
            }
        }
        if flow.canStartAgain {
            let action = SignInFlow.PrimaryAction.startAgain
            button(flow.title(of: action), action.name, rank: .quiet) { Task { await flow.restart() } }
        }
    }

    private func button(
        _ label: String, _ name: String, rank: SignInPrompt.Action.Rank, _ action: @escaping () -> Void
    ) -> some View {
        RankedButton(label, rank: rank, identifier: ElementIdentifier.action(name), action: action)
    }

    /// Moves the focus to the next field, or submits the form after the last one.
    private func moveOn(from input: FlowInput) {
        let names = flow.inputs.map(\.name)
        guard let index = names.firstIndex(of: input.name), index + 1 < names.count else { return flow.submit() }
        focus = names[index + 1]
    }
}

/// Switches by which the person consents to share data, below the description of each purpose.
struct ConsentFields: View {
    @ObservedObject var flow: SignInFlow
    let consent: ConsentQuestion

    var body: some View {
        ForEach(consent.purposes, id: \.name) { purpose in
            if let description = purpose.description { Text(verbatim: description) }
            ForEach(purpose.essential + purpose.optional, id: \.self) { element in
                Toggle(isOn: flow.agreement(to: element)) { Text(verbatim: flow.title(ofElement: element)) }
            }
        }
    }
}
#endif
