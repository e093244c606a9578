/// Source of a setting: a place in a file, or a variable.
public enum SettingPlace: Sendable, Equatable {
    /// A place in a configuration file. Lines, and the characters of a line, are counted from one.
    case file(path: String, line: Int, column: Int)
    /// A variable of the environment that overrides the file.
    case variable(String)
}
