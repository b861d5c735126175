"""Chinese, simplified and the commonest traditional forms. Words are cut out by the lists; the rest stays in chunks."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, roles, words

CHINESE = Lexicon(
    name="zh",
    is_spaced=False,
    roles=roles(
        function="我们 我 你 您 他 她 它 他们 这条 这个 这 那 个 了 也 都 和 与 请 把 被 作为 今年 让 对 将",
        copula="是 为 有 叫 叫做 等于",
        preposition="在 于 到 给 向",
        genitive="的 之",
        deadline="之前 截止 前",
        since="自 起 以来",
        **{"from": "从 由"},
        negator="不 没有 没 无 未 别",
        no_longer="不再 不用",
        retractor="而不是 代替 取代 替代",
        change="""改用 改为 改成 现在 目前 换成 迁移到 迁移 变为 变成 调整为 已改 推迟到 提高到 升级到 搬到 涨到 涨至
        降到 降至
        升到 增加到 减少到 缩短到 延长到 改到 提前到""",
        reason="因为 由于",
        hedge="""只|如果|假如|要是|除非|可能|也许|或许|大概|打算|计划|希望|想要|准备|预计|据说|应该|至少|最多|不超过
        |以上|以下|曾经|以前|当时|去年|明年|吗|是否|目标|假设""",
        title="老师 先生 女士 小姐 医生 经理",
        soft="大约 左右 约 每 已经 已 通常 一般 仍 举行",
    ),
    pivots=words("用 使用 采用 喜欢 爱 住 住在 工作 花 需要 开门 开始"),
    persons=classes(None, "我们 我", "你 您", "他", "她", "他们"),
    multivalued=words("朋友 孩子 儿子 女儿 同事 成员 过敏 会说 喜欢 爱"),
    happenings=words("买了 卖了 跑了 见了 参加了 降雨 发生了"),
    contrasts=words("""副 前任 现任 测试环境 生产环境 开发环境 预发环境 线上 测试 生产 开发 第一 第二 第三 左 右
        旧 新 以前的 下一 上一 当前 主要 备用 早上 晚上 上午的 北 南 内部 外部"""),
    surnames=frozenset(
        """王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪"""
        "田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
    ),
    classes=classes(None, "红色 绿色 蓝色 白色 黑色 黄色 灰色", "每天 每周 每月 每年"),
    weekdays=numbered("周一/星期一 周二/星期二 周三/星期三 周四/星期四 周五/星期五 周六/星期六 周日/星期日/星期天"),
    numbers={},
)  # fmt: skip
