extension Optional<String> {
    /// `nil` for an empty text, as the shell's `${NAME:-}` has it.
    var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
