extension ThunderIDTexts {
    func name(of user: ThunderIDClient.User?) -> String {
        user?.profile.label ?? text(.userAnonymous)
    }

    /// The label of an attribute: the server's display name, or else the text of the app or of this library, or else the
    /// attribute's name in readable form.
    func label(of field: ProfileForm.Field) -> String {
        if let label = field.label, !label.isEmpty { return label }
        return title(ofField: field.name) ?? field.name.readable
    }
}
