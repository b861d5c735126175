"""Korean. Words stand between blanks; their particles are cut off."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, roles, words

KOREAN = Lexicon(
    name="ko",
    roles=roles(
        function="나 우리 저 그 이 것 수 및 그리고 하지만",
        copula="이다 입니다 있다 있습니다 한다 합니다 된다 됩니다",
        negator="않는다 않습니다 안 아니다 아닙니다 없다 없습니다 못",
        no_longer="더이상 더는",
        retractor="대신",
        change="이제 지금은 현재 변경 바뀌었다 변경되었다",
        soft="약 정도 매 보통 이미",
        hedge="만약|경우|예정|계획|아마|것같다|최소|최대|이상|이하|예전에|작년|내년|목표",
        title="씨 님",
    ),
    persons=classes(None, "나 우리 저"),
    multivalued=words("친구 아이 아들 딸 동료 좋아한다"),
    contrasts=words("테스트 운영 개발 스테이징 첫째 둘째 왼쪽 오른쪽 아침 저녁 이전 다음"),
    weekdays=numbered("월요일 화요일 수요일 목요일 금요일 토요일 일요일"),
    subject_endings=("은", "는", "이", "가"),
    endings=(
        "입니다", "이에요", "에서는", "에서", "에는", "으로", "이다", "까지", "부터", "은", "는", "이", "가", "을",
        "를", "의", "에", "로", "도", "와", "과",
    ),
)  # fmt: skip
