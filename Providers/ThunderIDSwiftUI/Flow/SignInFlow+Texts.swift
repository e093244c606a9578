/// Labels of a step's parts: the server's, or else those of the app and of this library.
extension SignInFlow {
    /// The label of a field.
    public func title(of input: FlowInput) -> String {
        if isWaitingForLink { return texts.text(.fieldLinkOrCode) }
        return input.label ?? texts.title(ofField: input.name) ?? input.title
    }

    /// The label of an action.
    public func title(of action: FlowAction) -> String { texts.title(of: action) }

    /// The label of the only button of a step without actions.
    public func title(of action: PrimaryAction) -> String {
        switch action {
        case .proceed: texts.text(.signInSubmit)
        case .tryAgain: texts.text(.signInTryAgain)
        case .startAgain: texts.text(.signInStartAgain)
        }
    }

    /// The label of an element that the person is asked to share.
    public func title(ofElement name: String) -> String { texts.title(ofField: name) ?? name.readable }

    /// The words that a screen reader says when they change: the error, else that something is awaited.
    var announcement: String? { error ?? (isLoading ? texts.text(.signInWait) : nil) }

    /// Says everything in another language from now on, also what is shown already. What was typed stays.
    /// - Parameter texts: the texts in that language. The server is asked for its own in the same one.
    public func languageChanged(to texts: ThunderIDTexts) async {
        guard texts != self.texts else { return }
        self.texts = texts
        emit()
        guard let client else { return }
        client.setLanguage(texts.language)
        guard let step else { return }
        let count = stepCount
        let translated = await client.translated(step)
        // The step or the language may have changed in the meantime.
        guard count == stepCount, texts == self.texts else { return }
        if failure != nil, failure == step.error { failure = translated.error }
        for input in step.inputs where untoldProblems[input.name] == input.problem {
            untoldProblems[input.name] = translated.inputs.first { $0.name == input.name }?.problem
        }
        self.step = translated
    }
}

extension ThunderIDTexts {
    /// The label of a field by its name only; `nil` for an unknown name.
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
