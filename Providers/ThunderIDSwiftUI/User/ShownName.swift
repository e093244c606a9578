extension ThunderIDTexts {
    func name(of user: ThunderIDClient.User?) -> String {
        user?.profile.label ?? text(.userAnonymous)
    }

    /// The label of an attribute: the server's, or else that of this library, or its name.
    func label(of field: ProfileForm.Field) -> String {
        if let label = field.label, !label.isEmpty { return label }
        return title(ofField: field.name) ?? field.name.readable
    }
}
