"""Units and what they measure, so that 2.5 m and 250 cm are one length and 12 kg and 12 EUR are nothing alike."""

from decimal import Decimal
from typing import NamedTuple

from threengram.core.lexical.folding import fold


class Unit(NamedTuple):
    """A quantity in this unit, times `factor`, is the quantity in the base unit of its `dimension`.

    `symbol` is how a predicate spells it, `kg` or `EUR`. Pounds without more may be money or weight, so they are a
    dimension of their own.
    """

    dimension: str
    factor: Decimal
    symbol: str


_TABLE = """
length: mm=0.001 cm=0.01 dm=0.1 m=1 km=1000
length: m=1 meter meters metre metres metro metros metri metry metrów mètre mètres 米 メートル 미터
length: km=1000 kilometer kilometers kilometre kilometres kilómetros chilometri quilômetros kilomètres kilometry
length: km=1000 kilometrów 公里 キロメートル
length: cm=0.01 centimeter centimeters zentimeter centimètres centímetros 厘米 センチ
length: mm=0.001 millimeter millimeters millimètres milímetros 毫米
length: in=0.0254 inch inches zoll pouces pulgadas 寸
length: ft=0.3048 feet foot
length: mi=1609.344 mile miles
mass: mg=0.001 g=1 kg=1000 t=1000000
mass: kg=1000 kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos kilogramów 公斤 千克 キロ キログラム 킬로
mass: mg=0.001 milligram milligrams milligramm milligrammes miligramos milligrammi miligramas 毫克 ミリグラム 밀리그램
mass: µg=0.000001 mcg microgram micrograms mikrogramm microgrammes microgramos 微克
mass: g=1 gram grams gramm grammes gramos grammi gramas 克 グラム
mass: t=1000000 ton tons tonne tonnes tonnen toneladas 吨
mass: lb=453.59237 lbs
mass: oz=28.349523125 ounce ounces
duration: ms=0.001 millisecond milliseconds millisekunden 毫秒 ミリ秒
duration: s=1 sec second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi seconden sekunda
duration: s=1 sekundy sekund 秒 秒間 초
duration: min=60 mins minute minutes minuten minuto minutos minuti minuut minuta minuty minut 分钟 分間
duration: h=3600 hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren godzina godziny godzin
duration: h=3600 小时 時間 시간
duration: d=86400 day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen dzień dni 天 日間
duration: week=604800 weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzień tygodnie
duration: week=604800 tygodni 周 週間
duration: month=2629800 months monat monate monaten mois mes meses mese mesi mês maand maanden miesiąc miesiące
duration: month=2629800 miesięcy 个月 ヶ月 か月 개월
duration: year=31557600 years jahr jahre jahren an ans année années año años anno anni ano anos jaar jaren rok lata
duration: year=31557600 lat 年 年間
age: 歳=1 才 岁 살
data: B=1 byte bytes octets
data: KB=1e3 kB ko
data: MB=1e6 Mo megabyte megabytes
data: GB=1e9 Go gigabyte gigabytes gig
data: TB=1e12 To terabyte terabytes
data: KiB=1024
data: MiB=1048576
data: GiB=1073741824
bandwidth: Mbit/s=1 Mbps mbps
bandwidth: Gbit/s=1000 Gbps gbps
area: m2=1 sqm quadratmeter 平方米 平米
area: ha=10000 hectare hectares hektar
volume: l=1 liter liters litre litres litro litros litri 升 リットル
volume: ml=0.001 milliliter milliliters millilitre millilitres mililitros millilitri 毫升 ミリリットル
volume: m3=1000
temperature: °C=1 celsius
temperature_f: °F=1 fahrenheit
share: %=1 percent prozent percento procent 퍼센트 パーセント
money_EUR: EUR=1 € euro euros 欧元 ユーロ
money_EUR: ct=0.01 cent cents centimes céntimos
money_USD: USD=1 $ dollar dollars dólares 美元 ドル
money_GBP: GBP=1 £
pounds: pounds=1 pound
money_CHF: CHF=1 franken francs
money_JPY: JPY=1 円 ¥ yen
money_CNY: CNY=1 元 块 rmb
money_KRW: KRW=1 원 won
money_BRL: BRL=1 reais real
money_RUB: RUB=1 рублей рубль рубля руб
money_PLN: PLN=1 zł złoty złote złotych
money_SEK: SEK=1
money_DKK: DKK=1
money_NOK: NOK=1
money_INR: INR=1 ₹ rupees
money_TRY: TRY=1 lira
money_CAD: CAD=1
money_AUD: AUD=1
energy: kWh=1
energy: Wh=0.001
energy: MWh=1000
power: W=1 watt watts
power: kW=1000
voltage: V=1 volt volts
pressure: bar=1
pressure: mmHg=0.00133322
speed: km/h=1 kmh
rate: bpm=1
concentration_molar: mmol/l=1 mmol/L
concentration_mass: mg/dl=1 mg/dL
food_energy: kcal=1 calories kalorien calorías
frequency: Hz=1
frequency: kHz=1000
frequency: MHz=1000000
frequency: GHz=1000000000
times: times=1 mal fois veces volte vezes keer 次 回 번
pieces: pieces=1 个 個 개 つ 台
people: people=1 人 名 位 명
"""

_EXACT: dict[str, Unit] = {}
_NAMES: dict[str, Unit] = {}


def _load() -> None:
    for line in _TABLE.strip().splitlines():
        dimension, _, listed = line.partition(": ")
        unit: Unit | None = None
        for entry in listed.split():
            name, has_factor, factor = entry.partition("=")
            if has_factor:
                unit = Unit(dimension, Decimal(factor), name)
            assert unit is not None
            _EXACT.setdefault(name, unit)
            if len(name) > 2 or not name.isascii():
                _NAMES.setdefault(fold(name), unit)


_load()

CURRENCY_SIGNS = {sign: _EXACT[sign] for sign in "€$£¥"}


def unit_named(text: str) -> Unit | None:
    """The unit of a symbol as written (`m` is a metre, `M` nothing) or of a name in any case."""
    return _EXACT.get(text) or _NAMES.get(fold(text))


def unspaced_names() -> list[str]:
    """Names of units in scripts without blanks, longest first."""
    return sorted((name for name in _EXACT if name[0] > "\u3000"), key=len, reverse=True)
