"""Every table of the translation, by name."""

from collections.abc import Mapping

import pandas as pd

from bgrating.formula.formula import RatingFormula
from bgrating.translation.coefficients import coefficients
from bgrating.translation.names import TABLES
from bgrating.translation.prediction import prediction
from bgrating.translation.ratios import agreement, ratios
from bgrating.translation.slopes import slopes


def tables(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> dict[str, pd.DataFrame]:
    """Make every table of TABLES from the pairs and the fitted formulas by nets, as far as they are there."""
    measured = ratios(pairs)
    made = {
        "ratios": measured,
        "agreement": agreement(pairs),
        "coefficients": coefficients(pairs, measured, formulas),
        "slopes": slopes(pairs, formulas),
        "prediction": prediction(pairs, formulas),
    }
    return {name: made[name] for name in TABLES}
