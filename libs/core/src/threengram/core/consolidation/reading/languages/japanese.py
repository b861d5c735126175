"""Japanese. Particles and endings are cut off by the lists; the rest stays in chunks of one script."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, roles, words

JAPANESE = Lexicon(
    name="ja",
    is_spaced=False,
    retracts_before=True,
    roles=roles(
        function="""が を も と や これ それ この その ここ 私 私たち する します した しました される されます された
            されました している しています して られている れている る す う く て た だった でした ます ました いる
            います ある あります こと もの よう という れる""",
        copula="は です だ である なる",
        preposition="に で へ",
        genitive="の",
        deadline="までに まで",
        since="以来 以降",
        **{"from": "から より"},
        negator="ない ません なかった ではない じゃない なく ず",
        retractor="の代わりに 代わりに ではなく",
        change="""今は 現在 現在は 今後 に変更 変更 移行 になった になりました に変わった 変わった に変わりました
        変わりました
            切り替えた 引っ越した 更新 上がりました 上がった 下がりました 下がった""",
        soft="もう もはや 約 だいたい ほど くらい ぐらい すでに 毎 通常 たいてい",
        hedge="""だけ|もし|場合|なら|かもしれない|かもしれません|でしょう|だろう|予定|つもり|したい|計画|希望|らしい
        |そうです|べき|以上|以下|最大|最低|少なくとも|以前|かつて|当時|去年
        |昨年|来年|ですか|ますか|目標|仮に""",
        title="さん 様 氏 先生 くん ちゃん",
    ),
    pivots=words("使 使う 使って 使用 好 住 働 始 開"),
    persons=classes(None, "私 私たち"),
    multivalued=words("友達 友人 子供 息子 娘 同僚 好き アレルギー 話す"),
    happenings=words("買った 売った 走った 会った 参加した 降った 起きた"),
    contrasts=words("""副 前任 検証環境 本番環境 開発環境 テスト環境 本番 検証 開発 第一 第二 最初 左 右 旧 新 朝 夜 昼
        北 南 内部 外部"""),
    classes=classes(None, "赤 緑 青 白 黒 黄色 灰色", "毎日 毎週 毎月 毎年"),
    weekdays=numbered("""月曜日/月曜 火曜日/火曜 水曜日/水曜 木曜日/木曜 金曜日/金曜 土曜日/土曜 日曜日/日曜"""),
    numbers={},
)  # fmt: skip
