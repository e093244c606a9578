/// The names of the animals that a generated picture can show.
public let anonymousAnimalNames = Set(AnonymousGlyphs.animals.keys)

/// The names of the things that a generated picture can show.
public let anonymousEntityNames = Set(AnonymousGlyphs.entities.keys)

/// Emoji for the animals and things, for apps without pictures of them.
package enum AnonymousGlyphs {
    /// Returns the emoji for the animal or thing of `spec`; `nil` for letters and for unknown names.
    package static func glyph(for spec: AvatarSpec) -> String? {
        let name = spec.content.lowercased()
        return switch spec.variant {
        case .anonymousAnimal: animals[name]
        case .anonymousEntity: entities[name]
        case .oneLetter, .twoLetter: nil
        }
    }

    static let animals = [
        "capybara": "🐹", "chameleon": "🦎", "chinchilla": "🐭", "chipmunk": "🐿️", "chupacabra": "👹", "dingo": "🐕",
        "dinosaur": "🦕", "frog": "🐸", "giraffe": "🦒", "hedgehog": "🦔", "hippo": "🦛", "jackal": "🐺",
        "jackalope": "🐇", "mink": "🦡", "otter": "🦦", "platypus": "🦆", "quagga": "🦓", "raccoon": "🦝", "skunk": "🦨",
    ]

    static let entities = [
        "anchor": "⚓️", "antenna": "📡", "anvil": "⚒️", "arch": "⛩️", "bot_head": "🤖", "brain": "🧠", "bridge": "🌉",
        "chevron": "⌃", "circuit_node": "🔌", "compass": "🧭", "cube": "🧊", "diamond": "💎", "dome": "🕌", "gate": "🚪",
        "hexagon": "⬢", "key": "🔑", "lighthouse": "🚨", "lock": "🔒", "neural_net": "🕸️", "obelisk": "🗿",
        "octagon": "🛑", "orbit_ring": "🪐", "parallelogram": "▱", "pavilion": "🎪", "pentagon": "⬟", "plus_facet": "➕",
        "silo": "🏭", "spiral": "🌀", "spire": "⛪️", "star": "⭐️", "tower": "🗼", "townhouse": "🏘️",
        "triangle_stack": "🔺", "turbine": "🌬️", "valve": "🚰", "windmill": "🎡",
    ]
}
