import IdentityKit
import Testing

@testable import IdentityTerminal

@Suite struct QRCodeTests {
    @Test("A code is drawn module by module as readers read it")
    func golden() throws {
        // Read back by an independent reader when it was recorded.
        let picture = """
            #######...#.#.#######
            #.....#.....#.#.....#
            #.###.#.#.#...#.###.#
            #.###.#.....#.#.###.#
            #.###.#..#.##.#.###.#
            #.....#..###..#.....#
            #######.#.#.#.#######
            ........#.#..........
            ###.#####.#.###...#..
            ...#.#....##.##.#..##
            .#.##.#.#..#.####.###
            #.####..##.###.#.....
            ##...##...##..###....
            ........##....#.#..##
            #######.#.#.#..######
            #.....#.#.#...#....#.
            #.###.#.###.#.#......
            #.###.#...##.#.##.##.
            #.###.#.##.#.####...#
            #.....#.#..###.#...#.
            #######.#.##.#####.##
            """
        let code = try #require(QRCode("identity"))
        #expect(code.modules.map { $0.map { $0 ? "#" : "." }.joined() }.joined(separator: "\n") == picture)
        // The runs are all that a view draws.
        var drawn = Array(repeating: Array(repeating: false, count: code.width), count: code.width)
        for run in code.runs {
            for column in run.columns { drawn[run.row][column] = true }
        }
        let margin = Array(repeating: false, count: QRCode.margin)
        let empty = Array(repeating: Array(repeating: false, count: code.width), count: QRCode.margin)
        #expect(drawn == empty + code.modules.map { margin + $0 + margin } + empty)
    }

    @Test("The code grows with the text, up to a limit", arguments: [(17, 21), (18, 25), (106, 37), (230, 53)])
    func sizes(length: Int, size: Int) throws {
        let code = try #require(QRCode(String(repeating: "a", count: length)))
        #expect(code.modules.count == size)
        let lines = code.lines(inColour: true)
        #expect(lines.count == (size + 9) / 2 && lines.allSatisfy { $0.contains("\u{1B}") })
        let plain = code.lines(inColour: false)
        #expect(plain.count == lines.count && !plain.contains { $0.contains("\u{1B}") })
        #expect(QRCode(String(repeating: "a", count: 231)) == nil)
    }
}
