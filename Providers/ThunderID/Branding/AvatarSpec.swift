/// The outline of a generated picture.
public enum AvatarShape: String, Sendable, Hashable, CaseIterable {
    case circle
    /// A square with rounded corners.
    case rounded
}

/// The kind of content that a generated picture shows.
public enum AvatarVariant: String, Sendable, Hashable, CaseIterable {
    case oneLetter = "one_letter"
    case twoLetter = "two_letter"
    case anonymousAnimal = "anonymous_animal"
    case anonymousEntity = "anonymous_entity"
}

/// The description of a picture to generate, which ThunderID stores as a text such as
/// `avatar:shape=circle,variant=two_letter,content=BM,colors=2`.
public struct AvatarSpec: Sendable, Hashable {
    public let shape: AvatarShape
    public let variant: AvatarVariant
    /// The letters, or the name of the animal or thing.
    public let content: String
    /// The number of color pairs to skip in the palette, starting at the pair that the content selects. After the last
    /// pair, the first one follows. The gradient turns by 37 degrees for each skipped pair.
    public let colors: Int
    /// The background color as `#RRGGBB`; `nil` for the generated gradient.
    public let bg: String?

    public init(shape: AvatarShape, variant: AvatarVariant, content: String, colors: Int, bg: String? = nil) {
        self.shape = shape
        self.variant = variant
        self.content = content
        self.colors = colors
        self.bg = bg
    }

    /// The longest content in characters. Names of animals and things are shorter, and a picture has at most two letters.
    private static let longestContent = 64

    /// Reads the text after `avatar:`. Missing or invalid values get defaults.
    /// - Parameter seedText: the text from which to derive the content if there is none.
    init(parameters text: Substring, seedText: String) {
        var values: [Substring: Substring] = [:]
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[parts[0].trimmed] = parts[1].trimmed
        }
        let variant = values["variant"].flatMap { AvatarVariant(rawValue: String($0)) } ?? .twoLetter
        let content = String((values["content"] ?? "").prefix(Self.longestContent))
        self.init(
            shape: values["shape"].flatMap { AvatarShape(rawValue: String($0)) } ?? .rounded, variant: variant,
            content: content.isEmpty ? deriveAvatarContent(variant: variant, seedText: seedText) : content,
            colors: values["colors"].flatMap { Int($0) } ?? 0,
            bg: values["bg"].flatMap { ColorText(String($0))?.text })
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
