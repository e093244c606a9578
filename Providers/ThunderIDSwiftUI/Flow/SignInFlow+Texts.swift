/// Labels of a step's fields and buttons: the server's labels, or else those of the app and of this library.
extension SignInFlow {
    /// Returns the label of a field. While the flow waits for a mailed link, the label asks for the link or the code. At any
    /// other time, it is the server's label, or else the library's label for a known name, or else the readable name.
    public func title(of input: FlowInput) -> String {
        if isWaitingForLink { return texts.text(.fieldLinkOrCode) }
        return input.label ?? texts.title(ofField: input.name) ?? input.title
    }

    /// Returns the label of an action's button: the server's label, or else the label for its brand, or else its name. A name
    /// that is only a number is replaced by the label of a submit button.
    public func title(of action: FlowAction) -> String { texts.title(of: action) }

    /// Returns the label of a ``primaryAction`` in the language of the flow. The server has no labels for these actions.
    public func title(of action: PrimaryAction) -> String {
        switch action {
        case .proceed: texts.text(.signInSubmit)
        case .tryAgain: texts.text(.signInTryAgain)
        case .startAgain: texts.text(.signInStartAgain)
        }
    }

    /// Returns the label of an attribute that the person is asked to share: the library's label for a known name, or else
    /// the readable name.
    public func title(ofElement name: String) -> String { texts.title(ofField: name) ?? name.readable }

    /// The text that a screen reader announces when it changes: the error, or else a request to wait while
    /// ``isLoading`` is `true`; `nil` if there is neither.
    var announcement: String? { error ?? (isLoading ? texts.text(.signInWait) : nil) }

    /// Changes the language of the flow, including the current step and its errors. Entered values stay.
    /// - Parameter texts: the library's and the app's texts in the new language. The server's texts are fetched in the same
    ///   language; if that fails, the step keeps its texts.
    public func languageChanged(to texts: ThunderIDTexts) async {
        guard texts != self.texts else { return }
        self.texts = texts
        emit()
        guard let client else { return }
        client.setLanguage(texts.language)
        guard let step else { return }
        let count = stepCount
        let translated = await client.translated(step)
        // If the step or the language has changed in the meantime, the translation is outdated.
        guard count == stepCount, texts == self.texts else { return }
        if failure != nil, failure == step.error { failure = translated.error }
        for input in step.inputs where untoldProblems[input.name] == input.problem {
            untoldProblems[input.name] = translated.inputs.first { $0.name == input.name }?.problem
        }
        self.step = translated
    }
}

extension ThunderIDTexts {
    /// Returns the library's label for a common field name, such as `given_name` or `email`; `nil` for any other name. Case,
    /// digits and punctuation in the name do not matter.
    func title(ofField name: String) -> String? {
        let key: TextKey? =
            switch name.lowercased().filter({ $0.isLetter }) {
            case "username": .fieldUsername
            case "password": .fieldPassword
            case "email", "emailaddress", "mail": .fieldEmail
            case "mobilenumber", "phonenumber", "mobile", "phone": .fieldMobileNumber
            case "otp", "code", "onetimecode": .fieldOneTimeCode
            case "givenname", "firstname": .fieldGivenName
            case "familyname", "lastname": .fieldFamilyName
            case "name", "displayname", "fullname": .fieldName
            case "birthdate", "dateofbirth", "birthday": .fieldBirthdate
            default: nil
            }
        return key.map { text($0) }
    }
}
