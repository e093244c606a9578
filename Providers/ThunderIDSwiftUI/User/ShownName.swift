extension ThunderIDTexts {
    func name(of user: ThunderIDClient.User?) -> String {
        user?.profile.label ?? text(.userAnonymous)
    }

    /// The label beside an attribute of a record: the server's words, or those of this library, or its name.
    func label(of field: ProfileForm.Field) -> String {
        if let label = field.label, !label.isEmpty { return label }
        return title(ofField: field.name) ?? field.name.readable
    }
}
