/// The origin of a faulty setting: a position in a file, or an environment variable.
public enum SettingPlace: Sendable, Equatable {
    /// A position in a configuration file. Lines and columns count from one; a column is a character.
    case file(path: String, line: Int, column: Int)
    /// The environment variable that overrides the setting, or that chose the profile.
    case variable(String)
}
