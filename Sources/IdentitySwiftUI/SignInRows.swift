#if canImport(SwiftUI)
import IdentityKit
import SwiftUI

/// The rows of a sign-in screen, with the system's fonts. Colors and layout are those of the environment's `SignInTheme`,
/// by default the system's.
struct SignInRows: View {
    @ObservedObject var model: SignInModel
    let texts: ScreenTexts
    let showsTitle: Bool
    var offered: [String]?
    @FocusState private var focus: String?

    var body: some View {
        let rows = model.rows(texts, offering: offered)
        ThemedColumn {
            ForEach(Array(rows.indices), id: \.self) { index in row(rows[index], among: rows) }
        }
        .task(id: model.screen.focus) { if let field = model.screen.focus { focus = field } }
        .announcing(rows.announcement)
    }

    @ViewBuilder private func row(_ row: SignInRow, among rows: [SignInRow]) -> some View {
        switch row {
        case .title(let text):
            if showsTitle { HeadingText(text) }
        case .text(let text): Text(verbatim: text)
        case .problem(let text): ProblemText(text, identifier: "identity-problem")
        case .picture(let url, let description): PictureRow(url: url, description: description)
        case .link(let text, let url): LinkRow(text: text, url: url)
        case .copy(let text, let label): CopyRow(label: label, text: text.reveal())
        case .field(let field, let label, _, let problem):
            FieldRow(
                field, look(label, problem, field), value: model.binding(for: field.identifier), focus: $focus,
                isLast: field.identifier == model.screen.prompt?.fields.last?.identifier
            ) {
                moveOn(from: field, among: rows)
            }
        case .code(let code):
            if let picture = code.verificationURIComplete.flatMap({ QRCode($0.absoluteString) }) {
                QRCodePicture(code: picture)
            }
            CopyRow(label: nil, text: code.userCode, font: .title2)
        case .progress(let text): ProgressView().accessibilityLabel(Text(verbatim: text))
        case .button(let button):
            RankedButton(
                button.label, host: button.host, picture: button.picture, rank: button.rank,
                isEnabled: button.isEnabled, identifier: button.action.elementIdentifier
            ) {
                model.perform(button.action)
            }
        }
    }

    private func look(_ label: String, _ problem: String?, _ field: SignInPrompt.Field) -> FieldRow.Look {
        FieldRow.Look(
            label: label, problem: problem,
            dateButtons: .init(choose: texts.text(.chooseDate), remove: texts.text(.removeDate)),
            identifier: "identity-field-\(field.identifier)", problemIdentifier: "identity-problem")
    }

    /// Moves the focus to the next field. From the last field, performs the action of the primary button if it is enabled.
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

extension SignInScreen.Action {
    /// Identifier of the action's button for UI tests, which does not depend on the language.
    fileprivate var elementIdentifier: String {
        switch self {
        case .signIn(let name): "identity-sign-in-\(name)"
        case .continueAs(let account): "identity-continue-as-\(account)"
        case .answer(let identifier): "identity-action-\(identifier ?? "continue")"
        case .cancel: "identity-cancel"
        }
    }
}
#endif
