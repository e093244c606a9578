import Foundation

/// A row of a sign-in screen, with its texts in the language of the screen.
public enum SignInRow: Sendable, Equatable {
    case title(String)
    case text(String)
    /// Message about an error of the step or the session.
    case problem(String)
    /// A picture, with a description for people who cannot see it. The description of a merely decorative picture is `nil`.
    case picture(URL, description: String? = nil)
    /// A link to a page that the person may open, with the text of the link.
    case link(String, url: URL)
    /// A text that the person keeps or passes on, and its label. The text may be secret.
    case copy(Secret, label: String? = nil)
    /// An input, with the error to show beside it. `value` is `nil` until something is entered, and `problem` is `nil`
    /// without an error.
    case field(SignInPrompt.Field, label: String, value: Secret?, problem: String?)
    /// The code to enter on another device, with a QR code of ``DeviceCode/verificationURIComplete`` if there is one.
    case code(DeviceCode)
    case button(Button)
    case progress(String)

    /// A button of the screen. When it is pressed, pass its action to ``SignInEngine/perform(_:)``.
    public struct Button: Sendable, Equatable {
        public let action: SignInScreen.Action
        public let label: String
        /// Host of the page that the button opens; `nil` when it opens none or the host is unknown.
        public let host: String?
        /// Type of the vendor's preset, such as `apple`, which decides the picture and the style of the button; `nil`
        /// for a button without a vendor.
        public let vendor: String?
        /// Whether the button signs in with a passkey, or creates one.
        public let isPasskey: Bool
        /// How prominent the button is. At most one button of a screen is primary.
        public private(set) var rank: SignInPrompt.Action.Rank
        public let isEnabled: Bool

        /// Makes a button, such as for a preview or a test of rows that an app draws itself.
        public init(
            action: SignInScreen.Action, label: String, host: String? = nil, vendor: String? = nil,
            isPasskey: Bool = false, rank: SignInPrompt.Action.Rank = .secondary, isEnabled: Bool = true
        ) {
            self.action = action
            self.label = label
            self.host = host
            self.vendor = vendor
            self.isPasskey = isPasskey
            self.rank = rank
            self.isEnabled = isEnabled
        }

        fileprivate func ranked(_ rank: SignInPrompt.Action.Rank) -> Self {
            var button = self
            button.rank = rank
            return button
        }
    }
}

extension SignInRow {
    /// Makes the row of a part of a step; `nil` for a consent, whose fields have rows of their own.
    fileprivate init?(_ part: SignInPrompt.Part, _ texts: ScreenTexts) {
        switch part {
        case .paragraph(let text): self = .text(texts.said(text))
        case .link(let text, let url): self = .link(texts.said(text), url: url)
        case .picture(let url, let description): self = .picture(url, description: description.map(texts.said))
        case .textToCopy(let text, let label): self = .copy(text, label: label.map(texts.said))
        case .consent: return nil
        }
    }

    fileprivate var isPicture: Bool { if case .picture = self { true } else { false } }
}

extension [SignInRow] {
    /// The text that a screen reader speaks when the text changes: the errors of the step or the session. Without such
    /// errors, it is the text that is shown while the screen waits; `nil` if there is neither. Errors of fields are not
    /// included, because the first field with an error gets the focus, and its error is read with it.
    public var announcement: String? {
        let problems = compactMap { if case .problem(let text) = $0 { text } else { nil } }
        if !problems.isEmpty { return problems.joined(separator: " ") }
        return lazy.compactMap { if case .progress(let text) = $0 { text } else { nil } }.first
    }
}

extension SignInScreen {
    /// The rows to draw, in order. At most one button is primary.
    /// - Parameters:
    ///   - texts: the texts in the person's language.
    ///   - now: the current time. A button whose action has a later ``SignInPrompt/Action/availableAfter`` is disabled.
    public func rows(_ texts: ScreenTexts, at now: Date) -> [SignInRow] {
        var rows: [SignInRow] = [.title(prompt?.title.map(texts.said) ?? texts.text(.signIn))]
        switch notice {
        case .offline: rows.append(.problem(texts.text(.offline)))
        case .clockWrong: rows.append(.problem(texts.text(.clock)))
        case .configurationChanged: rows.append(.problem(texts.text(.changed)))
        case .words(let words): rows.append(.problem(texts.said(words)))
        case nil: break
        }
        if let prompt {
            rows += stepRows(prompt, texts, at: now)
        } else if let deviceCode {
            if let notice = deviceCode.notice { rows.append(.text(texts.said(notice))) }
            rows += [.text(texts.text(.enterCode, deviceCode.verificationURI.absoluteString)), .code(deviceCode)]
        } else if !isBusy {
            rows += choiceRows(texts)
        }
        if isBusy { rows.append(.progress(texts.text(.busy))) }
        if prompt != nil || deviceCode != nil || isBusy {
            rows.append(.button(.init(action: .cancel, label: texts.text(.cancel), rank: .quiet)))
        }
        return rows
    }

    /// Whether an enabled button of the screen performs `action` now.
    func offers(_ action: Action, at now: Date) -> Bool {
        rows(.english, at: now).contains { row in
            if case .button(let button) = row { button.action == action && button.isEnabled } else { false }
        }
    }

    private func stepRows(_ prompt: SignInPrompt, _ texts: ScreenTexts, at now: Date) -> [SignInRow] {
        let parts = prompt.parts.compactMap { SignInRow($0, texts) }
        var rows = parts.filter(\.isPicture)
        if let problem = prompt.problem { rows.append(.problem(texts.said(problem))) }
        if let message = prompt.message { rows.append(.text(texts.said(message))) }
        rows += parts.filter { !$0.isPicture }
        rows += prompt.fields.map { field in
            let problem: String? =
                switch problems[field.identifier] {
                case .needed: texts.text(.needed)
                case .unfit(let words): words.map(texts.said) ?? texts.text(.unfit)
                case nil: field.problem.map(texts.said)
                }
            let label = texts.said(field.label)
            var shown = field
            shown.placeholder = field.placeholder.map(texts.said)
            return .field(
                shown, label: field.isRequired ? label : texts.text(.optional, label),
                value: values[field.identifier], problem: problem)
        }
        let actions = prompt.actions
        guard !actions.isEmpty else {
            return rows + [.button(button(.answer(nil), texts.text(.goOn)).ranked(.primary))]
        }
        let primary = actions.firstIndex { $0.rank == .primary } ?? actions.firstIndex { $0.rank == nil }
        return rows
            + actions.enumerated().map { index, action in
                let rank: SignInPrompt.Action.Rank =
                    index == primary ? .primary : action.rank == .quiet ? .quiet : .secondary
                let isEarly = action.availableAfter.map { now < $0 } ?? false
                return .button(
                    .init(
                        action: .answer(action.identifier), label: texts.said(action.label),
                        isPasskey: action.purpose == .passkey, rank: rank, isEnabled: !isBusy && !isEarly))
            }
    }

    /// Rows for choosing an account or a provider. Existing accounts come first, because a person who has one rarely
    /// wants another.
    private func choiceRows(_ texts: ScreenTexts) -> [SignInRow] {
        let accounts = people.map { person in
            button(
                .continueAs(person.account),
                person.signInAt == nil
                    ? texts.text(.continueAs, person.name) : texts.text(.signInAgainAs, person.name))
        }
        // Do not show the name of a single provider without a vendor, because that name means nothing to a person.
        let isUnnamed = backends.count == 1 && backends.first?.vendor == nil
        let choices =
            accounts
            + backends.map {
                button(
                    .signIn($0.name), isUnnamed ? texts.text(.signIn) : texts.text(.signInWith, $0.label),
                    host: $0.host,
                    vendor: $0.vendor)
            }
        return choices.enumerated().map { index, choice in
            .button(index == 0 ? choice.ranked(.primary) : choice)
        }
    }

    private func button(
        _ action: Action, _ label: String, host: String? = nil, vendor: String? = nil
    ) -> SignInRow.Button {
        .init(action: action, label: label, host: host, vendor: vendor, isEnabled: !isBusy)
    }
}
