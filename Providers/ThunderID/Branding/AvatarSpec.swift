/// The outline of a generated picture.
public enum AvatarShape: String, Sendable, Hashable, CaseIterable {
    case circle
    /// A square with rounded corners.
    case rounded
}

/// Contents of a generated picture.
public enum AvatarVariant: String, Sendable, Hashable, CaseIterable {
    case oneLetter = "one_letter"
    case twoLetter = "two_letter"
    case anonymousAnimal = "anonymous_animal"
    case anonymousEntity = "anonymous_entity"
}

/// A picture to generate, as ThunderID keeps it in a text such as
/// `avatar:shape=circle,variant=two_letter,content=BM,colors=2`.
public struct AvatarSpec: Sendable, Hashable {
    public let shape: AvatarShape
    public let variant: AvatarVariant
    /// The letters, or the name of the animal or thing.
    public let content: String
    /// Offset into the palette from the content's own colour; it wraps around.
    public let colors: Int
    /// A colour for all of the background, as `#RRGGBB`, in place of generated ones.
    public let bg: String?

    public init(shape: AvatarShape, variant: AvatarVariant, content: String, colors: Int, bg: String? = nil) {
        self.shape = shape
        self.variant = variant
        self.content = content
        self.colors = colors
        self.bg = bg
    }

    /// The longest content: names of animals and things are shorter, and of letters two are drawn.
    private static let longestContent = 64

    /// Reads what follows `avatar:`. What is missing or not understood has a default.
    /// - Parameter seedText: what the content is derived from when the text has none.
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
